/*
 * The parts of introsort, and introselect (Musser 1997), for one type of number. order.c includes
 * this once per type. VALUE is the type, SELECT the function to define, NAMED(x) the name of the
 * helper x.
 */

static void NAMED(swap)(VALUE *a, VALUE *b)
{
    VALUE t = *a;

    *a = *b;
    *b = t;
}

static void NAMED(insertion_sort)(VALUE *x, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        VALUE v = x[i];
        size_t j = i;

        for (; j > 0 && x[j - 1] > v; j--)
            x[j] = x[j - 1];
        x[j] = v;
    }
}

static void NAMED(sift_down)(VALUE *x, size_t root, size_t n)
{
    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && x[child + 1] > x[child])
            child++;
        if (x[root] >= x[child])
            return;
        NAMED(swap)(&x[root], &x[child]);
    }
}

static void NAMED(heap_sort)(VALUE *x, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        NAMED(sift_down)(x, i, n);
    for (size_t end = n; end-- > 1;) {
        NAMED(swap)(&x[0], &x[end]);
        NAMED(sift_down)(x, 0, end);
    }
}

/* Partitions by Hoare's scheme: afterwards x[0 ... ret] <= pivot <= x[ret + 1 ... n - 1], and
 * neither part is empty. */
static size_t NAMED(partition)(VALUE *x, size_t n)
{
    size_t i = 0;
    size_t j = n - 1;
    VALUE pivot;

    if (x[n / 2] < x[0])
        NAMED(swap)(&x[n / 2], &x[0]);
    if (x[n - 1] < x[0])
        NAMED(swap)(&x[n - 1], &x[0]);
    if (x[n - 1] < x[n / 2])
        NAMED(swap)(&x[n - 1], &x[n / 2]);
    pivot = x[n / 2];
    for (;;) {
        do
            i++;
        while (x[i] < pivot);
        do
            j--;
        while (x[j] > pivot);
        if (i >= j)
            return j;
        NAMED(swap)(&x[i], &x[j]);
    }
}

VALUE SELECT(VALUE *x, size_t n, size_t k)
{
    unsigned depth = depth_of(n);

    while (n > SMALL && depth-- > 0) {
        size_t left = NAMED(partition)(x, n) + 1;

        if (k < left) {
            n = left;
        } else {
            x += left;
            n -= left;
            k -= left;
        }
    }
    if (n > SMALL)
        NAMED(heap_sort)(x, n);
    else
        NAMED(insertion_sort)(x, n);
    return x[k];
}

#undef VALUE
#undef SELECT
#undef NAMED
