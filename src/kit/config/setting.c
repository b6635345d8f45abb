/* Settings: a text parsed into a field of a struct. */
#include "setting.h"

#include <stdbool.h>
#include <string.h>

#include <tacho/error.h>

#include "base/number.h"

static int parse_choice(const char *const *choices, const char *text)
{
    for (int i = 0; choices[i]; i++)
        if (strcmp(choices[i], text) == 0)
            return i;
    return TACHO_EINVAL;
}

static int parse_share(const char *text, double *ret)
{
    size_t len = strlen(text);
    bool percent = len > 0 && text[len - 1] == '%';
    double value;

    if (tch_parse_f64_n(text, len - percent, &value) < 0 || value <= 0 ||
        value > (percent ? 100 : 1))
        return TACHO_EINVAL;
    *ret = percent ? value / 100 : value;
    return 0;
}

static int parse_number(const struct tch_setting *s, const char *text, uint64_t *ret)
{
    uint64_t value;
    int status = s->kind == TCH_SET_DURATION ? tch_parse_duration(text, &value)
                 : s->kind == TCH_SET_SIZE   ? tch_parse_size(text, &value)
                                             : tch_parse_u64(text, UINT64_MAX, &value);

    if (status < 0 || value < s->least || (s->most > 0 && value > s->most))
        return TACHO_EINVAL;
    *ret = value;
    return 0;
}

int tch_setting_parse(const struct tch_setting *s, const char *text, void *into)
{
    void *at = (char *)into + s->offset;
    uint64_t number;
    int status = 0;

    switch (s->kind) {
    case TCH_SET_TEXT:
        *(const char **)at = text;
        break;
    case TCH_SET_FLAG:
        *(bool *)at = true;
        break;
    case TCH_SET_BITS:
        *(uint32_t *)at |= (uint32_t)s->most;
        break;
    case TCH_SET_CHOICE:
        status = parse_choice(s->choices, text);
        if (status >= 0)
            memcpy(at, &status, sizeof status); /* whatever integer type the enum has */
        break;
    case TCH_SET_SHARE:
        return parse_share(text, at);
    case TCH_SET_U32:
        status = parse_number(s, text, &number);
        if (status == 0)
            *(uint32_t *)at = (uint32_t)number;
        break;
    case TCH_SET_U64:
    case TCH_SET_DURATION:
    case TCH_SET_SIZE:
        return parse_number(s, text, at);
    }
    return status < 0 ? status : 0;
}
