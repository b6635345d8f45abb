/* exit HOW PATH: records a span, removes PATH (remove) or makes a folder of that name (block), and
   exits. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <tacho/trace.h>

int main(int argc, char **argv)
{
    if (argc != 3)
        return 64;
    {
        TACHO_SPAN("work", "test");
    }
    return strcmp(argv[1], "remove") == 0 ? remove(argv[2]) : mkdir(argv[2], 0700);
}
