// Functions of C++ that have no name of their own, or the same one, inlined or not. Each does the
// same work.
//
//     lambdas ROUNDS
#include <cstdint>
#include <cstdlib>

#define OUT_OF_LINE __attribute__((noinline))
#define INLINED     __attribute__((always_inline))

static volatile uint64_t sink;

static inline INLINED void spin(uint64_t step)
{
    uint64_t x = sink | 1;

    for (int i = 0; i < 1000000; i++) {
        x = x * 6364136223846793005u + step;
        __asm__ volatile("" : "+r"(x));
    }
    sink = x;
}

struct Functor {
    void operator()(int step) const;
};

OUT_OF_LINE void Functor::operator()(int step) const
{
    spin(step);
}

namespace
{
struct Worker {
    INLINED inline void work(int step)
    {
        spin(step);
    }
    OUT_OF_LINE void method(int step)
    {
        [](long s) INLINED { spin(s); }(step);
        sink = sink + 1;
    }
};
} // namespace

template <class T> OUT_OF_LINE double energy(T step)
{
    spin(step);
    return 1;
}

OUT_OF_LINE void run(int step)
{
    auto first = [](long s) OUT_OF_LINE { spin(s); };
    auto second = [](long s) OUT_OF_LINE { spin(s + 1); };
    auto third = [](long s) INLINED { spin(s + 2); };

    first(step);
    second(step);
    third(step);
    if (step > 0) {
        [](long s) INLINED { spin(s + 3); }(step);
        Worker().work(step);
    }
    Functor()(step);
    Worker().method(step);
    energy(step);
    sink = sink + 2;
}

int main(int argc, char **argv)
{
    for (int i = argc > 1 ? std::atoi(argv[1]) : 100; i > 0; i--)
        run(i);
}
