// The parser asks for memory without end on some broken code and cannot be told to stop there: a
// failed allocation ends the program. Here every block of a parse is counted and kept in a list, so
// that a parse that wants too much is left by a jump, and all of its blocks are freed.

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>

// Allocations between two questions whether to go on.
#define PERIOD 4096

typedef struct Parse Parse;

// What stands before each block; its size keeps the block aligned as malloc does.
typedef struct Block {
  struct Block *previous, *next;
  Parse *parse;  // null once the parse is over
  size_t size;
} Block;

_Static_assert(sizeof(Block) % _Alignof(max_align_t) == 0, "blocks stay aligned");

struct Parse {
  Block *first;
  size_t used, most;
  unsigned asked;
  bool (*stop)(void *);
  void *payload;
  jmp_buf out;
};

// The parse that this thread is in.
static _Thread_local Parse *now;

static size_t whole(size_t size) {
  if (size > SIZE_MAX - sizeof(Block)) abort();
  return size + sizeof(Block);
}

static void leave(Parse *parse) {
  now = NULL;
  for (Block *block = parse->first, *next; block; block = next) {
    next = block->next;
    free(block);
  }
  longjmp(parse->out, 1);
}

static void *enter(Block *block, size_t size) {
  if (!block) abort(); // the system has no memory left
  Parse *parse = now;
  *block = (Block){.next = parse ? parse->first : NULL, .parse = parse, .size = size};
  if (parse) {
    if (parse->first) parse->first->previous = block;
    parse->first = block;
    parse->used += whole(size);
  }
  return block + 1;
}

static void forget(Block *block) {
  Parse *parse = block->parse;
  if (!parse) return;
  if (block->previous) block->previous->next = block->next;
  else parse->first = block->next;
  if (block->next) block->next->previous = block->previous;
  parse->used -= whole(block->size);
}

static void check(size_t size) {
  Parse *parse = now;
  if (!parse) return;
  bool large = whole(size) > parse->most - parse->used;
  if (large || (++parse->asked % PERIOD == 0 && parse->stop(parse->payload))) leave(parse);
}

static void *bounded_malloc(size_t size) {
  check(size);
  return enter(malloc(whole(size)), size);
}

static void *bounded_calloc(size_t count, size_t size) {
  if (size && count > SIZE_MAX / size) abort();
  check(count * size);
  return enter(calloc(1, whole(count * size)), count * size);
}

static void bounded_free(void *pointer) {
  if (!pointer) return;
  Block *block = (Block *)pointer - 1;
  forget(block);
  free(block);
}

static void *bounded_realloc(void *pointer, size_t size) {
  if (!pointer) return bounded_malloc(size);
  check(size);
  Block *block = (Block *)pointer - 1;
  forget(block);
  return enter(realloc(block, whole(size)), size);
}

// Before anything else of the parser is called.
void bounded_install(void) {
  ts_set_allocator(bounded_malloc, bounded_calloc, bounded_realloc, bounded_free);
}

static const char *text(void *payload, uint32_t at, TSPoint point, uint32_t *read) {
  (void)point;
  const char **ends = payload;
  size_t length = (size_t)(ends[1] - ends[0]);
  *read = at < length ? (uint32_t)(length - at) : 0;
  return ends[0] + (at < length ? at : length);
}

static bool progress(TSParseState *state) {
  Parse *parse = state->payload;
  return parse->stop(parse->payload);
}

// The tree, or null if it would take more than so many bytes, or if `stop` said so; `full` tells
// the first. Nothing between here and the jump is Rust, and what the parser had is freed either way.
TSTree *bounded_parse(const TSLanguage *language, const char *source, uint32_t length, size_t most,
                      bool (*stop)(void *), void *payload, bool *full) {
  Parse parse = {.most = most, .stop = stop, .payload = payload};
  const char *ends[2] = {source, source + length};
  *full = false;
  if (setjmp(parse.out)) {
    *full = !stop(payload);
    return NULL;
  }
  now = &parse;
  TSParser *parser = ts_parser_new();
  TSTree *tree = NULL;
  if (ts_parser_set_language(parser, language)) {
    TSInput input = {.payload = ends, .read = text, .encoding = TSInputEncodingUTF8};
    TSParseOptions options = {.payload = &parse, .progress_callback = progress};
    tree = ts_parser_parse_with_options(parser, NULL, input, options);
  }
  ts_parser_delete(parser);
  now = NULL;
  for (Block *block = parse.first; block; block = block->next) block->parse = NULL;
  return tree;
}
