package admission_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

func checkError(t *testing.T, function string, err error, want ...string) {
	t.Helper()
	if err == nil != (len(want) == 0) || err != nil && err.Error() != strings.Join(want, "\n") {
		t.Errorf("%s = %v, want %q", function, err, want)
	}
}

func TestNamespaceRestriction(t *testing.T) {
	const defaults, whitelist = "metadata.annotations[scheduler.alpha.kubernetes.io/defaultTolerations]", "metadata.annotations[scheduler.alpha.kubernetes.io/tolerationsWhitelist]"
	const absent = "-"
	tests := []struct {
		name                string
		defaults, whitelist string
		path                string
		wantDefaults        string
		wantWhitelist       string
		err                 []string
	}{
		{"D5_absent_is_the_clusters", absent, absent, "", "cd", "cw", nil},
		{"D5_empty_is_none", "", "", "", "", "", nil},
		{"D5_empty_list_is_none", "[]", " [ ] ", "", "", "", nil},
		{"D5_each_for_itself", `[{"key":"a"}]`, absent, "", "a", "cw", nil},
		{"D5_as_written", `[{"key":"a","operator":"Equal","effect":"NoExecute","tolerationSeconds":-1},{"key":"a"}]`, `[{"operator":"Exists"}]`, "", "a:NoExecute op=Equal for -1s,a", "op=Exists", nil},
		{"D5_white_space_is_no_JSON", " ", absent, "", "", "", []string{defaults + ": " + contract.NotJSON(" ")}},
		{"D5_all_problems", `[{"key":"a"},null,{"key":"-a","operator":"Foo"}]`, `{}`, "", "", "", []string{
			defaults + `[1]: must not be null`,
			defaults + `[2].key "-a": the name must begin and end with a letter or digit`,
			defaults + `[2].operator: unknown operator "Foo" (allowed: Equal, Exists, Lt, Gt)`,
			whitelist + ` {}: must be a list`,
		}},
		{"D5_lenient", `[{"key":"a","operation":"Exists","key":"b"}]`, absent, "", "b", "cw", nil},
		{"D5_repeated_null", absent, `[{"key":"a","key":null,"operator":"Exists"}]`, "", "cd", "a op=Exists", nil}, // not every key
		{"D5_names_to_the_letter", `[{"Key":"a","operator":"Exists"},{"key":"b","value":1,"x":2,"tolerationseconds":5}]`, absent, "", "", "", []string{
			defaults + `[0]: unknown field "Key", did you mean key? (allowed: key, operator, value, effect, tolerationSeconds)`,
			defaults + `[1]: unknown field "tolerationseconds", did you mean tolerationSeconds? (allowed: key, operator, value, effect, tolerationSeconds)`,
			defaults + `[1].value 1: must be a string, so put it in quotes`,
		}},
		{"D5_in_the_order_of_the_list", `[{"key":"-a"},{"key":"b","Operator":"Exists"},{"key":"-c"}]`, absent, "", "", "", []string{
			defaults + `[0].key "-a": the name must begin and end with a letter or digit`,
			defaults + `[1]: unknown field "Operator", did you mean operator? (allowed: key, operator, value, effect, tolerationSeconds)`,
			defaults + `[2].key "-c": the name must begin and end with a letter or digit`,
		}},
		{"D5_path", absent, `0`, "namespaces[a].metadata.annotations", "", "", []string{
			"namespaces[a]." + whitelist + ` 0: must be a list`,
		}},
	}
	cluster := admission.Restriction{Defaults: toleration.MustParseList("cd"), Whitelist: toleration.MustParseList("cw")}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			annotations := map[string]string{"other": "x"}
			if tt.defaults != absent {
				annotations[admission.DefaultsAnnotation] = tt.defaults
			}
			if tt.whitelist != absent {
				annotations[admission.WhitelistAnnotation] = tt.whitelist
			}
			got, err := admission.NamespaceRestriction(annotations, cluster, tt.path)
			checkError(t, "NamespaceRestriction", err, tt.err...)
			if err != nil {
				checkNothing(t, got)
				return
			}
			check(t, "defaults", got.Defaults, tt.wantDefaults)
			check(t, "whitelist", got.Whitelist, tt.wantWhitelist)
		})
	}
	if got, err := admission.NamespaceRestriction(nil, cluster, ""); err != nil || len(got.Defaults) != 1 {
		t.Errorf("no annotations: %v, %v", got, err)
	}
	t.Run("D5_V10_many_unknown", restrictionManyUnknown)
}

// checkNothing tests that the Restriction that is returned with an error adds and
// admits nothing.
func checkNothing(t testing.TB, r admission.Restriction) {
	t.Helper()
	if r.Defaults != nil {
		t.Errorf("D5: defaults %v beside an error", r.Defaults)
	}
	for _, text := range []string{"", "k=0 op=Lt", "op=Exists", ":NoSchedule op=Exists", "a=x:NoSchedule", "a=5 op=Gt", "cw", "NR:NoExecute op=Exists for 300s"} {
		pod := read(t, text)
		for _, plan := range []admission.Plan{{Restriction: r}, {Restriction: r, Seconds: off}} {
			_, create := plan.OnCreate(admission.PodSpec{Tolerations: pod})
			_, update := plan.OnUpdate(admission.PodSpec{Tolerations: pod})
			if create == nil || update == nil {
				t.Errorf("D5: a Plan with the Restriction %v beside an error admits %v", r, pod)
			}
		}
	}
}

// A misspelt field is found behind any number of others that do not matter, which are
// only warnings, and however many it follows in the error's text: without it, this
// whitelist has op=Exists.
func restrictionManyUnknown(t *testing.T) {
	unknown := strings.Repeat(`"x":1,`, 100)
	for _, text := range []string{
		`[{` + unknown + `"Key":"a","operator":"Exists"}]`,
		`[` + strings.Repeat(`{"key":"b","x":1},`, 100) + `{"Key":"a","operator":"Exists"}]`,
		`[` + strings.Repeat(`{`+unknown+`"key":"b"},`, 3) + `{"Key":"a","operator":"Exists"}]`,
	} {
		r, err := admission.NamespaceRestriction(map[string]string{admission.WhitelistAnnotation: text}, admission.Restriction{}, "")
		if err == nil || !strings.Contains(err.Error(), `unknown field "Key", did you mean key?`) {
			t.Errorf("%.30s…: %v", text, err)
		}
		checkNothing(t, r)
	}
}

// An unknown class is an error.
func planUnknownClass(t *testing.T) {
	pod := admission.PodSpec{QOS: "besteffort"}
	want := `status.qosClass: unknown name "besteffort", did you mean BestEffort? (allowed: BestEffort, Burstable, Guaranteed)`
	_, err := admission.Plan{}.OnCreate(pod)
	checkError(t, "OnCreate", err, want)
	_, err = admission.Plan{}.OnUpdate(pod)
	checkError(t, "OnUpdate", err, want)
}

// A whitelist without a valid toleration is not an empty one.
func planUnreadWhitelist(t *testing.T) {
	plan := admission.Plan{Seconds: off, Restriction: admission.Restriction{Whitelist: read(t, "zero,zero")}}
	for _, text := range []string{"", "b=0 op=Lt,zero"} {
		_, err := plan.OnUpdate(admission.PodSpec{Tolerations: read(t, text)})
		checkError(t, "OnUpdate", err, "spec.tolerations: the whitelist has no valid toleration, so it admits no pod")
	}
}

func TestPlan(t *testing.T) {
	t.Run("D5_refusal", planRefusal)
	t.Run("D5_unread_whitelist", planUnreadWhitelist)
	t.Run("D1_D3_D4_D5_D8_recorded", planRecorded)
	t.Run("V9_property", rapid.MakeCheck(planProperty))
	t.Run("D3_unknown_class", planUnknownClass)
}

func planRefusal(t *testing.T) {
	plan := admission.Plan{Restriction: admission.Restriction{Defaults: toleration.MustParseList("d"), Whitelist: toleration.MustParseList("a")}}
	const reason, added = "must be covered by the whitelist", "must be covered by the whitelist: added by admission"
	pod := admission.PodSpec{Tolerations: toleration.MustParseList("b,a,op=Exists"), Resources: []string{"a.io/gpu"}, QOS: admission.Guaranteed, RuntimeClass: toleration.MustParseList("c")}
	l, err := plan.OnCreate(pod)
	checkError(t, "OnCreate", err,
		`spec.tolerations[0] "b": `+reason,
		`spec.tolerations[2] "op=Exists": `+reason,
		`spec.tolerations[3] "a.io/gpu:NoSchedule op=Exists": `+added,
	)
	check(t, "OnCreate", l, "")
}
