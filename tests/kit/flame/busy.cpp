// A C++ program with a known profile: cxx_hot does 70 % of the work, cxx_warm 30 %.
//
//     busy_cxx ROUNDS
#include <cstdint>
#include <cstdlib>

namespace
{
volatile uint64_t sink;

struct Worker {
    __attribute__((noinline)) void cxx_spin(uint64_t steps)
    {
        uint64_t x = sink | 1;
        while (steps-- > 0) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            __asm__ volatile("" : "+r"(x));
        }
        sink = x;
    }
    __attribute__((noinline)) void cxx_hot()
    {
        cxx_spin(7000000);
        sink = sink + 1;
    }
    __attribute__((noinline)) void cxx_warm()
    {
        cxx_spin(3000000);
        sink = sink + 2;
    }
};
} // namespace

int main(int argc, char **argv)
{
    Worker worker;

    for (int i = argc > 1 ? std::atoi(argv[1]) : 100; i > 0; i--) {
        worker.cxx_hot();
        worker.cxx_warm();
    }
}
