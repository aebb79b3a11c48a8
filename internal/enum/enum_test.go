package enum_test

import (
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/enum"
	"github.com/go-tolerate/tolerate/internal/tests/contract"
)

type kind uint8

var kinds = []string{"", "First", "Second"}

func (k kind) String() string { return enum.String(k, "enum_test.kind", kinds) }
func (k kind) AppendText(b []byte) ([]byte, error) {
	return enum.AppendText(b, k, "enum_test.kind", kinds)
}
func (k kind) MarshalText() ([]byte, error) { return k.AppendText(nil) }
func (k *kind) UnmarshalText(text []byte) error {
	return enum.UnmarshalText(k, text, "enum_test.kind", kinds)
}

func TestEnum(t *testing.T) {
	t.Run("empty_zero", contract.Enum[kind]{Names: map[kind]string{0: "", 1: "First", 2: "Second"}}.Test)
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"Firstt", `enum_test.kind.UnmarshalText("Firstt"): unknown name "Firstt", did you mean First? (allowed: First, Second)`},
		{"kind(1)", `enum_test.kind.UnmarshalText("kind(1)"): unknown name "kind(1)" (allowed: First, Second)`},
	} {
		got := kind(9)
		if err := got.UnmarshalText([]byte(tt.text)); err == nil || err.Error() != tt.want || got != 9 {
			t.Errorf("UnmarshalText(%q) sets %d, %v, want %s", tt.text, got, err, tt.want)
		}
	}
	got := kind(9)
	if err := got.UnmarshalText([]byte(strings.Repeat("x", 1<<20))); err == nil || len(err.Error()) > 1000 {
		t.Errorf("the error about a long name has %d bytes", len(err.Error()))
	}
	want := `enum_test.kind.MarshalText("kind(9)"): unknown name "kind(9)" (allowed: First, Second)`
	if _, err := got.MarshalText(); err == nil || err.Error() != want {
		t.Errorf("MarshalText: %v, want %s", err, want)
	}
}
