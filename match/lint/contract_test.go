package lint_test

import (
	"encoding/json"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/toleration"
)

// JSON keeps all of a finding.
func TestFinding_contract(t *testing.T) {
	var found []lint.Finding
	var fixes []lint.Fix
	for i, text := range []string{"k op=Exists", "k=v", "a op=Exists", "a op=Exists", "e:NoExecute op=Exists for 0s", "n=9223372036854775807 op=Gt", "x"} {
		for _, f := range lint.Find(toleration.MustParseList("k op=Exists,"+text), lint.Options{}) {
			f.Index += i
			found = append(found, f)
			if !f.Fix.IsZero() {
				f.Fix.Index += i
				fixes = append(fixes, f.Fix)
			}
		}
	}
	contract.Result[lint.Finding]{Samples: found}.Test(t)
	contract.Result[lint.Fix]{Samples: fixes}.Test(t)
	for _, f := range found {
		data, err := json.Marshal(f)
		var back lint.Finding
		if err == nil {
			err = json.Unmarshal(data, &back)
		}
		if err != nil || back != f {
			t.Errorf("JSON %s is read back as %v, %v", data, back, err)
		}
	}
}
