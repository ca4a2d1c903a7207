# Leaves out what of llama.cpp the program never loads: its common library, for command line programs and a server.
set(LLAMA_BUILD_COMMON OFF)
