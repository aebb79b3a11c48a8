package impact_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/match/impact"
)

func TestNew(t *testing.T) {
	t.Run("R7_unknown_constants", testNewUnknown)
}

// New panics for constants that do not exist, even without nodes.
func testNewUnknown(t *testing.T) {
	for _, tt := range []struct {
		options impact.Options
		want    string
	}{
		{impact.Options{Choice: 9}, "eviction: unknown Choice 9"},
		{impact.Options{Start: 9}, "eviction: unknown Start 9"},
	} {
		func() {
			defer func() {
				if got := recover(); got != tt.want {
					t.Errorf("New with %+v: panic %v, want %q", tt.options, got, tt.want)
				}
			}()
			impact.New(tt.options)
		}()
	}
}
