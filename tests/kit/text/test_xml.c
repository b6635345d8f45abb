/* Text in XML and HTML. */
#include "support/test.h"

#include "kit/text/xml.h"

static void bytes_become(const char *text, size_t len, const char *want)
{
    struct tch_buf b;

    tch_buf_init(&b, 1000);
    tch_xml_add_line(&b, text, len);
    assert_string_equal(b.data, want);
    tch_buf_release(&b);
}

static void becomes(const char *text, const char *want)
{
    bytes_become(text, strlen(text), want);
}

static void any_bytes_become_text(void **state)
{
    (void)state;
    becomes("", "");
    becomes("plain", "plain");
    becomes("</script>", "&lt;/script&gt;");
    becomes("\"><b a='&'>", "&quot;&gt;&lt;b a=&#39;&amp;&#39;&gt;");
    becomes("&#x0;", "&amp;#x0;");
    bytes_become("a\0b", 3,
                 "a\xef\xbf\xbd"
                 "b");
    becomes("\x01\x1f\x7f\n", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    becomes("\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd");
    becomes("\xc3\xa9\xe6\xbc\xa2", "\xc3\xa9\xe6\xbc\xa2");
    becomes("\xd7\xa9\xe2\x80\xae",
            "\xd7\xa9\xef\xbf\xbd");         /* U+202E reverses the direction of the text */
    becomes("\xef\xbf\xbe", "\xef\xbf\xbd"); /* U+FFFE is not XML */
    becomes("a\tb", "a\tb");
}

static void lines_stay_lines(void **state)
{
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 1000);
    tch_xml_adds(&b, "a<b\n\n\x01'\r\n");
    assert_string_equal(b.data, "a&lt;b\n\n\xef\xbf\xbd&#39;\xef\xbf\xbd\n");
    tch_buf_clear(&b);
    tch_xml_add(&b, "a\0\x01<\xFF>\xC3\xA4", 8);
    assert_string_equal(b.data, "a\xEF\xBF\xBD\xEF\xBF\xBD&lt;\xEF\xBF\xBD&gt;\xC3\xA4");
    tch_buf_clear(&b);
    tch_xml_adds(&b, "");
    tch_xml_adds(&b, "end");
    tch_xml_add(&b, "\n\0<", 3);
    assert_string_equal(b.data, "end\n\xef\xbf\xbd&lt;");
    tch_buf_clear(&b);
    tch_xml_add_attribute(&b, "a\nb\r\"");
    assert_string_equal(b.data, "a&#10;b\xef\xbf\xbd&quot;");
    tch_buf_release(&b);
}

static int add(void *arg)
{
    struct tch_buf b;
    int status;

    (void)arg;
    tch_buf_init(&b, 10000);
    for (int i = 0; i < 100; i++)
        tch_xml_adds(&b, "<line>\n");
    status = b.failed ? -1 : 0;
    tch_buf_release(&b);
    return status;
}

static void fails_without_memory(void **state)
{
    (void)state;
    test_every_allocation_fails(add, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_bytes_become_text),
        cmocka_unit_test(lines_stay_lines),
        cmocka_unit_test(fails_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
