package growth_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// without lists the functions that need no row although a parameter or the receiver is
// a list.
var without = map[string]string{
	"taint.List.Equal":      "is ==, element by element",
	"toleration.List.Equal": "is ==, element by element",
	"match.Result.First":    "there are three effects",
}

// TestRows tests that each exported function with a list among its parameters, or as
// its receiver, has a row or is excepted by without, and that all rows and exceptions
// name exported functions.
func TestRows(t *testing.T) {
	measured := map[string]bool{}
	for _, r := range rows {
		name, _, _ := strings.Cut(r.name, ",")
		measured[name] = true
	}
	all := functions(t)
	for name := range measured {
		if _, ok := all[name]; !ok {
			t.Errorf("the row %s names no exported function", name)
		}
	}
	for name := range without {
		if list, ok := all[name]; !ok || !list {
			t.Errorf("%s is excepted and no exported function with a list", name)
		}
	}
	found := 0
	for name, list := range all {
		if !list {
			continue
		}
		// Append... and its twin share their code.
		twin := strings.Replace(name, ".Append", ".", 1)
		if without[name] != "" || without[twin] != "" {
			continue
		}
		found++
		if !measured[name] && !measured[twin] && !measured[twin+"List"] {
			t.Errorf("%s has no row", name)
		}
	}
	if found < 40 {
		t.Errorf("only %d functions found", found)
	}
}

var (
	function = regexp.MustCompile(`(?m)^pkg \S+/tolerate/(?:\S+/)?(\w+), (?:func|method \(\*?(\w+)\)) (\w+)(?:\[.*?\])?(\(.*)$`)
	ofList   = regexp.MustCompile(`[( ]\[\]|\.\.\.|[ .]List\b`)
	// other are of one value, or do what Decode, ParseList, String and MarshalJSON do.
	other = regexp.MustCompile(`^(Append(Text|JSON)|Unmarshal\w+|GoString|Marshal(Text|YAML))$`)
)

// functions returns the exported functions and methods of the library, as the
// rows name them, and whether each has a list among its parameters.
func functions(t *testing.T) map[string]bool {
	api, err := os.ReadFile("../../api.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, m := range function.FindAllStringSubmatch(string(api), -1) {
		if strings.Contains(m[0], "/match/kube") {
			continue // another module
		}
		pkg, receiver, name, params := m[1], m[2], m[3], m[4]
		for i, depth := 0, 0; ; i++ { // the results follow
			depth += map[byte]int{'(': 1, ')': -1}[params[i]]
			if depth == 0 {
				params = params[:i]
				break
			}
		}
		list := (receiver == "List" || ofList.MatchString(params)) && !other.MatchString(name)
		all[strings.Replace(pkg+"."+receiver+"."+name, "..", ".", 1)] = list
	}
	return all
}
