/* Stands between FFmpeg, x264 and the processor: what they code may not matter to a test.

   TESTS_CPU      sse2 or avx2: what they may use at most
   TESTS_THREADS  how many processors they think there are
   TESTS_X264     options of x264 for every encoder, such as aq-mode=0:psy=0, which gives other bits of like quality

   The libraries call these functions of one another by name, so that this library, loaded before all others
   (LD_PRELOAD), is asked first. It asks the library that the caller was linked with. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libavutil/cpu.h */
enum { FF_UP_TO_SSE2 = 0x1 | 0x2 | 0x8 | 0x10 | 0x1000, FF_AVX512 = 0x100000 | 0x200000 };
/* x264.h */
enum { X264_UP_TO_SSE2 = 0xf, X264_AVX512 = 1 << 16 };

static void *theirs(void *caller, const char *name) {
    Dl_info library;
    if (!dladdr(caller, &library) || !library.dli_fname) return NULL;
    void *handle = dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    void *function = handle ? dlsym(handle, name) : NULL;
    if (handle) dlclose(handle);
    return function;
}

static int limited(int flags, int up_to_sse2, int avx512) {
    const char *cpu = getenv("TESTS_CPU");
    if (cpu && !strcmp(cpu, "sse2")) return flags & up_to_sse2;
    if (cpu && !strcmp(cpu, "avx2")) return flags & ~avx512;
    return flags;
}

static int threads(int usual) {
    const char *count = getenv("TESTS_THREADS");
    return count && atoi(count) > 0 ? atoi(count) : usual;
}

int av_get_cpu_flags(void) {
    int (*real)(void) = theirs(__builtin_return_address(0), "av_get_cpu_flags");
    return real ? limited(real(), FF_UP_TO_SSE2, FF_AVX512) : 0;
}

int av_cpu_count(void) {
    int (*real)(void) = theirs(__builtin_return_address(0), "av_cpu_count");
    return threads(real ? real() : 1);
}

typedef struct {
    uint32_t cpu;
    int threads;
    /* and much more */
} Parameters;

static void *opened(void *caller, const char *name, Parameters *parameters) {
    void *(*real)(Parameters *) = theirs(caller, name);
    int (*parse)(Parameters *, const char *, const char *) = theirs(caller, "x264_param_parse");
    const char *options = getenv("TESTS_X264");
    if (!real) abort();
    parameters->cpu = limited(parameters->cpu, X264_UP_TO_SSE2, X264_AVX512);
    if (parameters->threads == 0) parameters->threads = threads(0);
    if (options && *options) {
        char *all = strdup(options), *rest = all, *option;
        while ((option = strsep(&rest, ":"))) {
            char *key = strsep(&option, "=");
            if (!parse || parse(parameters, key, option)) {
                fprintf(stderr, "x264 does not know the option %s\n", key);
                abort();
            }
        }
        free(all);
    }
    return real(parameters);
}

/* The number of its interface is part of the name. */
#define OPEN(number) \
    void *x264_encoder_open_##number(Parameters *parameters) { \
        return opened(__builtin_return_address(0), "x264_encoder_open_" #number, parameters); \
    }
OPEN(160) OPEN(161) OPEN(162) OPEN(163) OPEN(164) OPEN(165) OPEN(166) OPEN(167) OPEN(168)
