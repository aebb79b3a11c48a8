package contract_test

import (
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/contract"
)

// A price is a value of its own package, as code outside that package refers to it.
type price struct{ cents int }

func mustParse(s string) price {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return price{n}
}

func (p price) Plus(cents int) price { return price{p.cents + cents} }

func (p price) On(day time.Time) (price, error) { return price{p.cents + day.Year()}, nil }

func TestEvaluate(t *testing.T) {
	source := map[string]any{"shop.Price": price{}, "shop.MustParse": mustParse}
	for _, tt := range []struct {
		expr string
		want any // nil for an error
	}{
		{`shop.Price{}`, price{}},
		{`shop.MustParse("12")`, price{12}},
		{"shop.MustParse(`12`)", price{12}},
		{`(shop.MustParse("12")).Plus(-2)`, price{10}},
		{`[]shop.Price{shop.MustParse("1"), shop.Price{}}`, []price{{1}, {}}},
		{`func() shop.Price { p, _ := shop.MustParse("1").On(time.Date(2026, time.May, 1, 0, 0, 0, 0, time.UTC)); return p }()`, price{2027}},
		{`time.Unix(1, 0).UTC()`, time.Unix(1, 0).UTC()},

		{``, nil},
		{`12 shillings`, nil},
		{`price{12}`, nil},
		{`shop.Price{cents:12}`, nil},
		{`shop.Price{12}`, nil},
		{`shop.Cost{}`, nil},
		{`shop.Parse("12")`, nil},
		{`shop.MustParse(12)`, nil},
		{`shop.MustParse("twelve")`, nil},
		{`shop.MustParse("12").Minus(1)`, nil},
		{`shop.MustParse("12").Plus("1")`, nil},
		{`shop.MustParse("12").On(time.UTC)`, nil},
		{`shop.MustParse("12").On(time.Unix(1, 0))`, nil}, // two results
		{`{cents:{value:0xc000012345}}`, nil},
	} {
		got, err := contract.Evaluate(tt.expr, source)
		if (err != nil) != (tt.want == nil) || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("the value of %s is %v, %v, want %v", tt.expr, got, err, tt.want)
		}
	}
}
