package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/examples/internal/hostile"
)

// Nothing in the input steers the terminal.
func TestHostileText(t *testing.T) {
	for _, input := range hostile.Inputs(t) {
		var out, errs bytes.Buffer
		run([]string{"-pods", "1", "-flap", "0", "-readers", "1", "-"}, strings.NewReader(input), &out, &errs)
		hostile.Check(t, "stdout", out.String())
		hostile.Check(t, "stderr", errs.String())
	}
}
