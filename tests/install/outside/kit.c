/* A program outside the project that uses libtachokit. */
#include <stdio.h>

#include <tacho/flame.h>
#include <tacho/judge.h>

int main(void)
{
    tacho_flame_request request = TACHO_FLAME_REQUEST_INIT;
    tacho_flame *flame = NULL;
    tacho_judge *judge = NULL;
    tacho_error err;

    if (tacho_flame_capture(&request, &flame, &err) != TACHO_EINVAL || flame)
        return 1; /* the request names nothing to profile */
    if (tacho_judge_new(&judge, &err) != 0 || tacho_judge_verdict(judge) != TACHO_VERDICT_NONE)
        return 1; /* the judge has no questions */
    tacho_judge_free(judge);
    puts(tacho_flame_profilers()[0]);
    return 0;
}
