// A Go program with a known profile: main.goHot does 70 % of the work, main.goWarm 30 %.
//
//	busy_go ROUNDS
package main

import (
	"fmt"
	"os"
	"strconv"
)

//go:noinline
func spin(steps int) uint64 {
	x := uint64(1)
	for ; steps > 0; steps-- {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

//go:noinline
func goHot() uint64 { return spin(7000000) ^ 1 }

//go:noinline
func goWarm() uint64 { return spin(3000000) ^ 2 }

func main() {
	rounds := 100
	if len(os.Args) > 1 {
		rounds, _ = strconv.Atoi(os.Args[1])
	}
	sum := uint64(0)
	for ; rounds > 0; rounds-- {
		sum ^= goHot() ^ goWarm()
	}
	fmt.Println(sum)
}
