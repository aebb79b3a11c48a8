package stamp_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/match/internal/stamp"
)

// Every time has a text that is read back as the same instant. The text is RFC 3339 if
// this can represent the year.
func TestTime(t *testing.T) {
	const year0, year10000 = -62167219200, 253402300800
	for _, tt := range []struct {
		at   time.Time
		want string
	}{
		{time.Time{}, "0001-01-01T00:00:00Z"},
		{time.Unix(year0, 0), "0000-01-01T00:00:00Z"},
		{time.Unix(year0, -1), "@-62167219201.999999999"},
		{time.Unix(year10000, -1), "9999-12-31T23:59:59.999999999Z"},
		{time.Unix(year10000, 0), "@253402300800"},
		{time.Date(9999, 12, 31, 23, 0, 0, 0, time.FixedZone("", -3600)), "@253402300800"},
		// In 32 bits, this year overflows to 2026.
		{time.Unix(135536078568729600, 5e8), "@135536078568729600.500000000"},
		{time.Unix(math.MaxInt64-62135596800, 0), "@9223371974719179007"},
	} {
		text, err := stamp.Time(tt.at).MarshalText()
		if string(text) != tt.want || err != nil {
			t.Errorf("text of %d s = %s, %v, want %s", tt.at.Unix(), text, err, tt.want)
		}
		var back stamp.Time
		if err := back.UnmarshalText(text); err != nil || !time.Time(back).Equal(tt.at) {
			t.Errorf("%s is read back as %d s, %v", text, time.Time(back).Unix(), err)
		}
	}
}
