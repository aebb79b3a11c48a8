package terminal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"

	"github.com/go-tolerate/tolerate/examples/internal/terminal"
)

func TestWriter(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		"plain text,\n\tÄ and 日本":     "plain text,\n\tÄ and 日本",
		"\x1b[2J":                     `\u001b[2J`,
		"a\rb\x00\x7f":                `a\u000db\u0000\u007f`,
		"\u009b31m":                   `\u009b31m`,
		"\u202eabc\u2066\u200b\u2028": `\u202eabc\u2066\u200b\u2028`,
		"\U000e0041":                  `\udb40\udc41`,
		"\xff\x9b":                    `\u00ff\u009b`,
		"replaced: \ufffd":            "replaced: \ufffd",
	} {
		var whole, parts bytes.Buffer
		if n, err := terminal.Writer(&whole).Write([]byte(text)); n != len(text) || err != nil || whole.String() != want {
			t.Errorf("%q: %q, %d, %v; want %q", text, &whole, n, err, want)
		}
		w := terminal.Writer(&parts) // byte by byte it is the same
		for i := range len(text) {
			if _, err := w.Write([]byte{text[i]}); err != nil {
				t.Error(err)
			}
		}
		if parts.String() != want {
			t.Errorf("%q byte by byte: %q, want %q", text, &parts, want)
		}
	}
	if _, err := terminal.Writer(iotest.TruncateWriter(nil, 0)).Write(nil); err != nil {
		t.Error(err)
	}
	if n, err := terminal.Writer(broken{}).Write([]byte("x")); n != 0 || err == nil {
		t.Error(n, err)
	}
}

func TestIs(t *testing.T) {
	device, err := os.Open(os.DevNull)
	if err != nil {
		t.Skip(err)
	}
	defer device.Close()
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if !terminal.Is(device) || !terminal.Is(nil) || terminal.Is(file) || terminal.Is(strings.NewReader("")) {
		t.Error(terminal.Is(device), terminal.Is(nil), terminal.Is(file), terminal.Is(strings.NewReader("")))
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// Whatever is written, nothing steers the terminal, and JSON says the same as
// before.
func FuzzWriter(f *testing.F) {
	f.Add("a\x1b[0m\u202e\xff\U000e0041")
	f.Fuzz(func(t *testing.T, text string) {
		var out bytes.Buffer
		w := terminal.Writer(&out)
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexFunc(out.String(), func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%q: %q", text, &out)
		}
		var data, same bytes.Buffer
		e := json.NewEncoder(&data)
		e.SetEscapeHTML(false)
		if err := e.Encode(text); err != nil {
			t.Fatal(err)
		}
		if _, err := terminal.Writer(&same).Write(data.Bytes()); err != nil {
			t.Fatal(err)
		}
		var got, want string
		if err := errors.Join(json.Unmarshal(data.Bytes(), &want), json.Unmarshal(same.Bytes(), &got)); err != nil || got != want {
			t.Errorf("%s became %s: %v", &data, &same, err)
		}
	})
}
