package value_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
	"github.com/go-tolerate/tolerate/internal/value"
)

func TestTagOf(t *testing.T) {
	const (
		effectBits = 0b11
		keyBits    = (1<<11 - 1) << 2
		valueBits  = (1<<11 - 1) << 13
		integerBit = 1 << 24
	)
	texts := []string{"", "a", "b", "ab", "gpu", "dedicated", "node.kubernetes.io/not-ready"}
	for _, key := range texts {
		for _, val := range texts {
			for e := range uint8(4) {
				bits := value.TagOf(key, val, e)
				if bits >= 1<<25 || bits&value.TagEffect != uint32(e) || value.TagEffect != effectBits {
					t.Errorf("TagOf(%q, %q, %d) = %#x", key, val, e, bits)
				}
				if key == "" && bits&keyBits != 0 || val == "" && bits&valueBits != 0 {
					t.Errorf("TagOf(%q, %q, %d) = %#x has bits of an absent part", key, val, e, bits)
				}
				if bits&integerBit != 0 {
					t.Errorf("TagOf(%q, %q, %d) = %#x says that the value is an integer", key, val, e, bits)
				}
			}
		}
	}
	// A thousand random hashes have about 790 values.
	keys, values := map[uint32]bool{}, map[uint32]bool{}
	for i := range 1000 {
		s := fmt.Sprint("node.kubernetes.io/", i)
		keys[value.TagOf(s, "", 0)] = true
		values[value.TagOf("", s, 0)] = true
	}
	if len(keys) < 700 || len(values) < 700 {
		t.Errorf("a thousand texts have %d tags as keys, %d as values", len(keys), len(values))
	}
}

// The tags are others in each run, so that nobody can choose texts with equal tags.
func TestTagOf_seed(t *testing.T) {
	tags := ""
	for i := range 10 {
		tags += fmt.Sprintf("%#x ", value.TagOf(fmt.Sprint("k", i), "", 0))
	}
	if os.Getenv("PRINT_TAGS") != "" {
		fmt.Println(tags)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestTagOf_seed$")
	cmd.Env = append(os.Environ(), "PRINT_TAGS=1")
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), "0x") || strings.Contains(string(out), tags) {
		t.Errorf("another run prints %s, %v; the tags here are %s", out, err, tags)
	}
}

// Rule V3 sets the bit of an integer by the value, whatever the key and the effect are.
func TestTagOf_V3_integers(t *testing.T) {
	for val, want := range map[string]bool{
		"0": true, "1": true, "10": true, "-1": true, "9223372036854775807": true, "-9223372036854775808": true,
		"": false, "00": false, "01": false, "+1": false, "-": false, "-0": false, "1.0": false, "1e3": false, "a1": false, "1a": false, "_1": false,
		"9223372036854775808": false, "-9223372036854775809": false,
	} {
		for _, key := range []string{"", "key"} {
			for e := range uint8(4) {
				if bits := value.TagOf(key, val, e); (bits>>24 == 1) != want {
					t.Errorf("TagOf(%q, %q, %d) = %#x, want bit 24 %v", key, val, e, bits, want)
				}
			}
		}
	}
}

var sink uint32

// The test must not run in parallel with another test.
func TestAllocs(t *testing.T) {
	measure.Allocs(t, "TagOf", 0, func() { sink = value.TagOf("node.kubernetes.io/not-ready", "gpu", 3) })
}
