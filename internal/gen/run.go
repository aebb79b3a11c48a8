package gen

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// Main runs the tests of a package whose properties are cheap, with that many
// draws of each, unless RAPID_CHECKS or the flag sets the number. It is for
// TestMain.
func Main(m *testing.M, checks int) {
	if os.Getenv("RAPID_CHECKS") == "" {
		if err := flag.Set("rapid.checks", strconv.Itoa(checks)); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// Fuzz makes a fuzz target of a property of rapid. The seeds are random and
// constant bytes of four lengths.
func Fuzz(f *testing.F, property func(*rapid.T)) {
	rng := rand.New(rand.NewPCG(1, 0))
	for _, n := range []int{0, 64, 512, 4096} {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		f.Add(b)
		f.Add(bytes.Repeat([]byte{byte(n)}, n))
	}
	f.Fuzz(rapid.MakeFuzz(property))
}
