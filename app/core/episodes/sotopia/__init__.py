"""Episodes, characters, scenarios and human scores in the files of SOTOPIA and SOTOPIA-pi."""
