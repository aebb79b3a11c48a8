package gen

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The version of rapid that go.mod requires does not read environment variables. A
// newer one would raise the requirements of modules that import this one.
func init() {
	for _, name := range []string{"checks", "seed"} {
		value := os.Getenv("RAPID_" + strings.ToUpper(name))
		if value == "" {
			continue
		}
		if err := flag.Set("rapid."+name, value); err != nil {
			panic(fmt.Sprintf("RAPID_%s: %v", strings.ToUpper(name), err))
		}
	}
}

// Main runs the tests of a package whose properties are cheap, with this many draws of
// each, unless RAPID_CHECKS or the flag sets the number. TestMain calls it.
func Main(m *testing.M, checks int) {
	if os.Getenv("RAPID_CHECKS") == "" {
		if err := flag.Set("rapid.checks", strconv.Itoa(checks)); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// Fuzz makes a fuzz target from a property of rapid. The seeds are random bytes and
// constant bytes of four lengths.
func Fuzz(f *testing.F, property func(*rapid.T)) {
	random := rand.NewChaCha8([32]byte{})
	for _, n := range []int{0, 64, 512, 4096} {
		b := make([]byte, n)
		_, _ = random.Read(b)
		f.Add(b)
		f.Add(bytes.Repeat([]byte{byte(n)}, n))
	}
	f.Fuzz(rapid.MakeFuzz(property))
}
