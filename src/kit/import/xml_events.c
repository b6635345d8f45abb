/* Reads XML by libexpat. */
#include "xml_events.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/fail.h"

/* The part of libexpat's interface that is used here. It has been the same since version 2.0. */
struct expat {
    void *(*create)(const char *encoding);
    void (*release)(void *parser);
    void (*set_data)(void *parser, void *data);
    void (*set_elements)(void *parser,
                         void (*begin)(void *data, const char *name, const char **attributes),
                         void (*end)(void *data, const char *name));
    void (*set_doctype)(void *parser,
                        void (*begin)(void *data, const char *name, const char *system,
                                      const char *public, int has_subset),
                        void (*end)(void *data));
    int (*parse)(void *parser, const char *text, int len, int final);
    int (*stop)(void *parser, unsigned char resumable);
    int (*error_code)(void *parser);
    const char *(*error_text)(int code);
    unsigned long (*line)(void *parser);
};

struct parse {
    const struct tch_xml_handler *handler;
    const struct expat *expat;
    void *parser;
    bool doctype;
};

enum { NO_MEMORY = 1 /* XML_ERROR_NO_MEMORY */ };

/* Loads the library. It stays loaded: dlclose() would gain nothing. */
static int load(struct expat *e, tacho_error *err)
{
    void *library = dlopen("libexpat.so.1", RTLD_NOW | RTLD_LOCAL);
    struct {
        const char *name;
        void *at;
    } functions[] = {
        {"XML_ParserCreate", &e->create},
        {"XML_ParserFree", &e->release},
        {"XML_SetUserData", &e->set_data},
        {"XML_SetElementHandler", &e->set_elements},
        {"XML_SetDoctypeDeclHandler", &e->set_doctype},
        {"XML_Parse", &e->parse},
        {"XML_StopParser", &e->stop},
        {"XML_GetErrorCode", &e->error_code},
        {"XML_ErrorString", &e->error_text},
        {"XML_GetCurrentLineNumber", &e->line},
    };

    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *found = library ? dlsym(library, functions[i].name) : NULL;

        if (!found)
            return tch_fail(err, TACHO_EUNSUPPORTED, 0,
                            "this is XML, and libexpat.so.1 is not installed; install libexpat");
        memcpy(functions[i].at, &found, sizeof found);
    }
    return 0;
}

static void begin_element(void *data, const char *name, const char **attributes)
{
    struct parse *p = data;

    p->handler->begin(p->handler->ctx, name, (const char *const *)attributes,
                      p->expat->line(p->parser));
}

static void end_element(void *data, const char *name)
{
    struct parse *p = data;

    p->handler->end(p->handler->ctx, name);
}

static void refuse_doctype(void *data, const char *name, const char *system, const char *public,
                           int has_subset)
{
    struct parse *p = data;

    (void)name;
    (void)system;
    (void)public;
    (void)has_subset;
    p->doctype = true;
    (void)p->expat->stop(p->parser, 0);
}

static int parse_pieces(struct parse *p, const char *text, size_t len, tacho_error *err)
{
    size_t done = 0;

    while (done < len) {
        size_t piece = len - done < INT_MAX / 2 ? len - done : INT_MAX / 2;

        if (p->expat->parse(p->parser, text + done, (int)piece, done + piece == len) == 0) {
            uint64_t line = p->expat->line(p->parser);

            if (p->doctype)
                return tch_fail(err, TACHO_EPARSE, line, "a document with a DOCTYPE is refused");
            if (p->expat->error_code(p->parser) == NO_MEMORY)
                return tch_fail_memory(err);
            return tch_fail(err, TACHO_EPARSE, line, "the XML is truncated or not valid: %.150s",
                            p->expat->error_text(p->expat->error_code(p->parser)));
        }
        done += piece;
    }
    return 0;
}

int tch_xml_events(const char *text, size_t len, const struct tch_xml_handler *handler,
                   tacho_error *err)
{
    struct expat expat = {0};
    struct parse p = {.handler = handler, .expat = &expat};
    int status = load(&expat, err);

    if (status < 0)
        return status;
    p.parser = expat.create(NULL);
    if (!p.parser)
        return tch_fail_memory(err);
    expat.set_data(p.parser, &p);
    expat.set_elements(p.parser, begin_element, end_element);
    expat.set_doctype(p.parser, refuse_doctype, NULL);
    status = parse_pieces(&p, text, len, err);
    expat.release(p.parser);
    return status;
}

const char *tch_xml_attribute(const char *const *attributes, const char *name)
{
    for (; attributes[0]; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return "";
}
