/* What the fuzz targets share.  A target is one file fuzz_<name>.c with LLVMFuzzerTestOneInput()
 * and fuzz_target; it is linked with libFuzzer (make fuzz), or with fuzz_main.c, which feeds it the
 * inputs of corpus/<name> (make check). */
#ifndef RC_TESTS_FUZZ_H
#define RC_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

enum { FUZZ_PATH = 512 };

/* Name of the target and of its folder of inputs. */
extern const char fuzz_target[];

/* 0; or -1: what the target guards itself against was caught (libFuzzer keeps no such input). */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* "SCRATCH/name" in path; the scratch folder is made once, and removed at the end. */
void fuzz_path(const char *name, char path[FUZZ_PATH]);

/* Replace a file. */
void fuzz_write(const char *path, const void *data, size_t size);

/* The same as one gzip member, which a random change of bytes would not be. */
void fuzz_write_gzip(const char *path, const void *data, size_t size);

/* A copy with a zero byte behind it, from malloc. */
char *fuzz_text(const uint8_t *data, size_t size);

/* End with a report when a property does not hold. */
#define FUZZ_CHECK(condition) ((condition) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #condition))
_Noreturn void fuzz_broken(const char *file, int line, const char *what);

#endif
