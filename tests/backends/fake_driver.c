/* A driver without a GPU: memory is the process's own, a module is a library that FAKE_TRANSLATOR makes of PTX, and a
   launch runs thread after thread. What a real driver refuses is refused; `fail` makes a function fail when asked. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OK = 0, INVALID = 1, OUT_OF_MEMORY = 2, NO_CONTEXT = 201, INVALID_IMAGE = 218, NOT_FOUND = 500, LOST = 719 };
#define MANY 4096
static struct { char *at; size_t size; } blocks[MANY];
static size_t used, limit = (size_t)1 << 40;
static int contexts, modules, launches, failing, code, capability = 75;
static char failing_name[64];
static int64_t context;

void fake_fail(const char *name, int status, int after) {
  strncpy(failing_name, name, sizeof failing_name - 1); code = status; failing = after;
}
void fake_limit(size_t bytes) { limit = bytes; }
void fake_capability(int both) { capability = both; }
size_t fake_used(void) { return used; }
int fake_contexts(void) { return contexts; }
int fake_modules(void) { return modules; }
int fake_launches(void) { return launches; }

static int asked(const char *name) {
  if (failing > 0 && !strcmp(name, failing_name) && --failing == 0) return code;
  return OK;
}
#define BEGIN { int status = asked(__func__); if (status) return status; }
#define NEEDS_CONTEXT { BEGIN if (contexts <= 0) return NO_CONTEXT; }

static int holds(uint64_t at, size_t size) {
  for (int k = 0; k < MANY; k++)
    if (blocks[k].at && at >= (uint64_t)blocks[k].at && at + size <= (uint64_t)blocks[k].at + blocks[k].size) return 1;
  return 0;
}

int cuInit(unsigned flags) { BEGIN return flags ? INVALID : OK; }
int cuDeviceGet(int *device, int number) { BEGIN *device = 0; return number ? 101 : OK; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  BEGIN *value = attribute == 75 ? capability / 10 : capability % 10; return OK;
}
int cuDevicePrimaryCtxRetain(void **found, int device) { BEGIN *found = &context; return OK; }
int cuCtxPushCurrent_v2(void *given) { BEGIN if (given != &context) return NO_CONTEXT; contexts++; return OK; }
int cuCtxPopCurrent_v2(void **found) { BEGIN *found = &context; contexts--; return OK; }
int cuGetErrorString(int status, const char **text) {
  *text = status == LOST ? "unspecified launch failure" : status == INVALID_IMAGE ? "device kernel image is invalid"
    : status == NO_CONTEXT ? "invalid device context" : status == INVALID ? "invalid argument" : NULL;
  return *text ? OK : INVALID;
}
int cuMemAlloc_v2(uint64_t *at, size_t size) {
  NEEDS_CONTEXT
  if (used + size > limit) return OUT_OF_MEMORY;
  for (int k = 0; k < MANY; k++)
    if (!blocks[k].at) {
      blocks[k].at = aligned_alloc(512, size); blocks[k].size = size; used += size;
      memset(blocks[k].at, 0xA5, size);
      *at = (uint64_t)blocks[k].at;
      return OK;
    }
  return OUT_OF_MEMORY;
}
int cuMemFree_v2(uint64_t at) {
  NEEDS_CONTEXT
  for (int k = 0; k < MANY; k++)
    if ((uint64_t)blocks[k].at == at && at) {
      used -= blocks[k].size; free(blocks[k].at); blocks[k].at = NULL;
      return OK;
    }
  return INVALID;
}
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size) {
  NEEDS_CONTEXT
  if (!holds(to, size)) return INVALID;
  memcpy((void *)to, from, size);
  return OK;
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size) {
  NEEDS_CONTEXT
  if (!holds(from, size)) return INVALID;
  memcpy(to, (void *)from, size);
  return OK;
}
int cuModuleLoadData(void **module, const char *text) {
  NEEDS_CONTEXT
  char folder[512], path[600], command[2048];
  snprintf(folder, sizeof folder, "%s/module-XXXXXX", getenv("FAKE_FOLDER"));
  if (!mkdtemp(folder)) return INVALID;
  snprintf(path, sizeof path, "%s/in.ptx", folder);
  FILE *file = fopen(path, "w");
  fputs(text, file);
  fclose(file);
  snprintf(command, sizeof command, "%s %s/in.ptx %s/out.so", getenv("FAKE_TRANSLATOR"), folder, folder);
  int failed = system(command);
  snprintf(path, sizeof path, "%s/out.so", folder);
  *module = failed ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  snprintf(command, sizeof command, "rm -r %s", folder);
  if (system(command) || !*module) return INVALID_IMAGE;
  modules++;
  return OK;
}
int cuModuleUnload(void *module) { NEEDS_CONTEXT modules--; return dlclose(module) ? INVALID : OK; }
int cuModuleGetFunction(void **function, void *module, const char *name) {
  NEEDS_CONTEXT
  *function = dlsym(module, name);
  return *function ? OK : NOT_FOUND;
}
int cuLaunchKernel(void *function, unsigned bx, unsigned by, unsigned bz, unsigned tx, unsigned ty, unsigned tz,
                   unsigned shared, void *stream, void **arguments, void **extra) {
  NEEDS_CONTEXT
  if (!bx || !by || bz != 1 || !tx || !ty || tz != 1 || by > 65535 || tx * ty > 1024 || extra || shared) return INVALID;
  launches++;
  ((void (*)(void **, unsigned, unsigned, unsigned, unsigned))function)(arguments, bx, by, tx, ty);
  return OK;
}
int cuCtxSynchronize(void) { NEEDS_CONTEXT return OK; }
int cuStreamSynchronize(void *stream) { NEEDS_CONTEXT return OK; }
