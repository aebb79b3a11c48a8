package peer

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/go-tolerate/tolerate/bench/overlay"
	"github.com/go-tolerate/tolerate/bench/overlay/hook"
)

// roundsVar is the environment variable with the number of rounds of Compare.
const roundsVar = "TOLERATE_ROUNDS"

// rounds is how often each side is measured. The fastest round counts, and rounds
// are short, so that a busy machine interrupts some of them only.
const rounds = 40

// Compare benchmarks f with the peer's bodies and with the new ones in turn.
func Compare(b *testing.B, f func(b *testing.B)) {
	n, err := strconv.Atoi(os.Getenv(roundsVar))
	if err != nil {
		n = 1
	}
	for range n {
		hook.Original = true
		b.Run("impl=peer", f)
		hook.Original = false
		b.Run("impl=tolerate", f)
	}
}

// measure runs the benchmark, and returns the fastest rounds of both sides in
// nanoseconds.
func measure(o overlay.Overlay, benchmark overlay.Suite) (before, after float64, err error) {
	cmd := o.Command("-run=^$", "-bench=^"+benchmark.Run+"$", "-benchtime=2ms", benchmark.Package)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", roundsVar, rounds))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w\n%s", benchmark.Run, err, out)
	}
	return fastest(out)
}

var benchLine = regexp.MustCompile(`(?m)^Benchmark\S*/impl=(peer|tolerate)\S*\s+\d+\s+([0-9.]+) ns/op`)

// fastest reads the output of a benchmark that calls Compare.
func fastest(out []byte) (before, after float64, err error) {
	times := map[string][]float64{}
	for _, m := range benchLine.FindAllSubmatch(out, -1) {
		ns, err := strconv.ParseFloat(string(m[2]), 64)
		if err != nil {
			return 0, 0, err
		}
		times[string(m[1])] = append(times[string(m[1])], ns)
	}
	if len(times["peer"]) == 0 || len(times["peer"]) != len(times["tolerate"]) {
		return 0, 0, errors.New("the benchmark did not measure both sides")
	}
	return slices.Min(times["peer"]), slices.Min(times["tolerate"]), nil
}
