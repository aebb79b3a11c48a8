package admission_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/validate"
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
		opts                toleration.ListOptions
		wantDefaults        string
		wantWhitelist       string
		err                 []string
	}{
		{"D5_absent_is_the_clusters", absent, absent, toleration.ListOptions{}, "cd", "cw", nil},
		{"D5_empty_is_none", "", "", toleration.ListOptions{}, "", "", nil},
		{"D5_empty_list_is_none", "[]", " [ ] ", toleration.ListOptions{}, "", "", nil},
		{"D5_null_is_none", "null", "null", toleration.ListOptions{}, "", "", nil},
		{"D5_each_for_itself", `[{"key":"a"}]`, absent, toleration.ListOptions{}, "a", "cw", nil},
		{"D5_as_written", `[{"key":"a","operator":"Equal","effect":"NoExecute","tolerationSeconds":-1},{"key":"a"}]`, `[{"operator":"Exists"}]`, toleration.ListOptions{}, "a:NoExecute op=Equal for -1s,a", "op=Exists", nil},
		{"D5_white_space_is_no_JSON", " ", absent, toleration.ListOptions{}, "", "", []string{defaults + `: must be JSON: unexpected end of JSON input`}},
		{"D5_all_problems", `[{"key":"a"},null,{"key":"-a","operator":"Foo"}]`, `{}`, toleration.ListOptions{}, "", "", []string{
			defaults + `[1] null: must be an object`,
			defaults + `[2].key "-a": the name must begin and end with a letter or digit`,
			defaults + `[2].operator: unknown operator "Foo" (allowed: Equal, Exists, Lt, Gt)`,
			whitelist + ` {}: must be a list`,
		}},
		{"D5_good_one_beside_a_bad", `[{"key":"a"}]`, `1`, toleration.ListOptions{}, "", "", []string{whitelist + ` 1: must be a list`}},
		{"D5_strict", absent, `[{"key":"a","operation":"Exists"}]`, toleration.ListOptions{Strict: true}, "", "", []string{
			whitelist + `[0]: unknown field "operation", did you mean operator? (allowed: key, operator, value, effect, tolerationSeconds)`,
		}},
		{"D5_lenient", `[{"key":"a","operation":"Exists","key":"b"}]`, absent, toleration.ListOptions{}, "b", "cw", nil},
		{"D5_names_to_the_letter", `[{"Key":"a","operator":"Exists"},{"key":"b","value":1,"x":2,"tolerationseconds":5}]`, absent, toleration.ListOptions{}, "", "", []string{
			defaults + `[0]: unknown field "Key", did you mean key? (allowed: key, operator, value, effect, tolerationSeconds)`,
			defaults + `[1]: unknown field "tolerationseconds", did you mean tolerationSeconds? (allowed: key, operator, value, effect, tolerationSeconds)`,
			defaults + `[1].value 1: must be a string, so put it in quotes`,
		}},
		{"D5_numeric_off", `[{"key":"a","value":"1","operator":"Gt"}]`, absent, toleration.ListOptions{NumericOff: true}, "", "", []string{
			defaults + `[0].operator "Gt": the numeric operators Lt and Gt are not enabled (allowed: Equal, Exists)`,
		}},
		{"D5_path", absent, `0`, toleration.ListOptions{Path: "namespaces[a].metadata.annotations"}, "", "", []string{
			"namespaces[a]." + whitelist + ` 0: must be a list`,
		}},
	}
	cluster := admission.Restriction{Defaults: list("cd"), Whitelist: list("cw")}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			annotations := map[string]string{"other": "x"}
			if tt.defaults != absent {
				annotations[admission.DefaultsAnnotation] = tt.defaults
			}
			if tt.whitelist != absent {
				annotations[admission.WhitelistAnnotation] = tt.whitelist
			}
			got, err := admission.NamespaceRestriction(annotations, cluster, tt.opts)
			checkError(t, "NamespaceRestriction", err, tt.err...)
			if diff := cmp.Diff(texts(read(t, tt.wantDefaults)), texts(got.Defaults)); diff != "" {
				t.Errorf("defaults mismatch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(texts(read(t, tt.wantWhitelist)), texts(got.Whitelist)); diff != "" {
				t.Errorf("whitelist mismatch (-want +got):\n%s", diff)
			}
			if err != nil && (got.Defaults != nil || got.Whitelist != nil) {
				t.Error("half a Restriction beside the error")
			}
		})
	}
	if got, err := admission.NamespaceRestriction(nil, cluster, toleration.ListOptions{}); err != nil || len(got.Defaults) != 1 {
		t.Errorf("no annotations: %v, %v", got, err)
	}
}

func TestCheckWhitelist(t *testing.T) {
	tests := []struct {
		name      string
		whitelist string
		pod       string
		refused   []string // indexes
	}{
		{"D5_empty_admits_all", "", "a,op=Exists", nil},
		{"D5_itself", "a,b", "b,a", nil},
		{"D5_covered", "a op=Exists,cores=64 op=Lt", "a=x:NoSchedule,cores=3,cores=8 op=Lt", nil},
		{"D5_wildcard_of_the_pod", "a op=Exists", "op=Exists", []string{"[0]"}},
		{"D5_all_of_them", "a", "b,a,c", []string{"[0]", "[2]"}},
		{"D5_only_single_ones_cover", "a:NoSchedule,a:PreferNoSchedule,a:NoExecute", "a", []string{"[0]"}},
		{"D5_seconds", "a:NoExecute for 60s", "a:NoExecute for 61s,a:NoExecute,a:NoExecute for 60s,a:NoExecute for -9s", []string{"[0]", "[1]"}},
		{"D5_counted_through_all_lists", "a", "a,b;a;b", []string{"[1]", "[3]"}},
		{"D5_matches_nothing", "a", "b=0 op=Lt,zero", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := admission.CheckWhitelist(read(t, tt.whitelist), lists(t, tt.pod)...)
			var ps validate.Problems
			if err != nil && !errors.As(err, &ps) {
				t.Fatal(err)
			}
			var refused []string
			for _, p := range ps {
				refused = append(refused, strings.TrimPrefix(p.Path, "spec.tolerations"))
				if !errors.Is(p, admission.ErrNotWhitelisted) {
					t.Errorf("%v is not ErrNotWhitelisted", p)
				}
			}
			if diff := cmp.Diff(tt.refused, refused); diff != "" {
				t.Errorf("CheckWhitelist mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlan(t *testing.T) {
	const (
		both = "NR:NoExecute op=Exists for 300s,UN:NoExecute op=Exists for 300s"
		mp   = "MP:NoSchedule op=Exists"
		gpu  = "a.io/gpu:NoSchedule op=Exists"
	)
	off := admission.Seconds{NotReady: admission.Off(), Unreachable: admission.Off()}
	type scene struct {
		seconds             admission.Seconds
		defaults, whitelist string
		pod                 string
		qos                 admission.QOS
		resources           string
		class               string
	}
	tests := []struct {
		name   string
		s      scene
		create string
		update string
	}{
		{"D1_zero_Plan", scene{}, both, both},
		{"order_is_D1_D5_D3_D4_D8", scene{defaults: "d", qos: admission.Burstable, resources: "a.io/gpu", class: "c"}, both + ",d," + mp + "," + gpu + ",c", both + "," + mp + "," + gpu},
		{"each_counts_for_the_next", scene{defaults: "d,MP op=Exists,a.io/gpu:NoSchedule op=Exists", qos: admission.Burstable, resources: "a.io/gpu", class: "d:NoSchedule"}, both + ",d,MP op=Exists," + gpu, both + "," + mp + "," + gpu},
		{"D4_a_default_wildcard_does_not_do", scene{seconds: off, defaults: "op=Exists", qos: admission.Burstable, resources: "a.io/gpu", class: "c"}, "op=Exists," + gpu, mp + "," + gpu},
		{"D5_longer_default_takes_the_place", scene{defaults: "NR:NoExecute op=Exists for 600s"}, "UN:NoExecute op=Exists for 300s,NR:NoExecute op=Exists for 600s", both},
		{"D5_shorter_default_is_covered", scene{defaults: "NR:NoExecute op=Exists for 60s"}, both, both},
		{"D5_wildcard_takes_both_places", scene{defaults: "op=Exists"}, "op=Exists", both},
		{"D5_narrower_default_stands_behind", scene{defaults: "NR=x:NoExecute"}, both + ",NR=x:NoExecute", both},
		{"D8_wildcard_takes_both_places", scene{class: ":NoExecute op=Exists for 900s"}, ":NoExecute op=Exists for 900s", both},
		{"D5_users_stay_and_stand_first", scene{defaults: "NR:NoExecute op=Exists for 600s,UN:NoExecute op=Exists for 600s", pod: "NR:NoExecute op=Exists for 60s"}, "NR:NoExecute op=Exists for 600s,UN:NoExecute op=Exists for 600s", "UN:NoExecute op=Exists for 300s"},
		{"D8_is_the_users_kept", scene{seconds: off, class: "a:NoExecute for 600s,b", pod: "a:NoExecute for 60s,b op=Equal"}, "a:NoExecute for 600s", ""},
		{"D3_BestEffort", scene{seconds: off, qos: admission.BestEffort}, "", ""},
		{"D5_whitelisted", scene{whitelist: "NR op=Exists,UN op=Exists,d", pod: "d"}, both, both},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			plan := admission.Plan{Seconds: tt.s.seconds, Restriction: admission.Restriction{Defaults: read(t, tt.s.defaults), Whitelist: read(t, tt.s.whitelist)}}
			pod := admission.Pod{Tolerations: read(t, tt.s.pod), QOS: tt.s.qos, Resources: strings.Split(tt.s.resources, ","), RuntimeClass: read(t, tt.s.class)}
			got, err := plan.OnCreate(pod)
			checkError(t, "OnCreate", err)
			check(t, "OnCreate", got, tt.create)
			got, err = plan.OnUpdate(pod)
			checkError(t, "OnUpdate", err)
			check(t, "OnUpdate", got, tt.update)
		})
	}
}

func TestPlanRefusal(t *testing.T) {
	plan := admission.Plan{Restriction: admission.Restriction{Defaults: list("d"), Whitelist: list("a")}}
	const reason, added = "no toleration of the whitelist covers it", "admission adds it, and no toleration of the whitelist covers it"
	pod := admission.Pod{Tolerations: list("b", "a", "op=Exists"), Resources: []string{"a.io/gpu"}, QOS: admission.Guaranteed, RuntimeClass: list("c")}
	t.Run("D5_own_before_added", func(t *testing.T) {
		l, err := plan.OnCreate(pod)
		checkError(t, "OnCreate", err,
			`spec.tolerations[0] "b": `+reason,
			`spec.tolerations[2] "op=Exists": `+reason,
			`spec.tolerations[3] "a.io/gpu:NoSchedule op=Exists": `+added,
		)
		check(t, "OnCreate", l, "")
	})
	t.Run("D5_update_too", func(t *testing.T) {
		pod := admission.Pod{Tolerations: list("a"), RuntimeClass: list("c")}
		l, err := plan.OnUpdate(pod)
		checkError(t, "OnUpdate", err,
			`spec.tolerations[1] "node.kubernetes.io/not-ready:NoExecute op=Exists for 300s": `+added,
			`spec.tolerations[2] "node.kubernetes.io/unreachable:NoExecute op=Exists for 300s": `+added,
		)
		check(t, "OnUpdate", l, "")
		if ps := (validate.Problems{}); !errors.As(err, &ps) || !errors.Is(ps[0], admission.ErrNotWhitelisted) {
			t.Errorf("%v is not ErrNotWhitelisted", err)
		}
	})
	t.Run("D5_dst_is_unchanged", func(t *testing.T) {
		dst := append(make([]toleration.Toleration, 0, 32), list("x")...)
		l, err := plan.AppendOnCreate(dst, pod)
		if err == nil || len(l) != 1 || l[0] != dst[0] {
			t.Errorf("AppendOnCreate = %v, %v", l, err)
		}
	})
	t.Run("D5_many", func(t *testing.T) {
		pod := pod
		for range 20 {
			pod.RuntimeClass = append(pod.RuntimeClass, list("d=x", "e=y")...)
		}
		if l, err := plan.OnCreate(pod); err == nil || l != nil {
			t.Errorf("OnCreate = %v, %v", l, err)
		}
	})
}

// apply applies operations to a pod as a JSON patch is applied: by the two
// rules of "add" that are needed here.
func apply(t testing.TB, object string, operations []admission.Operation) []toleration.Toleration {
	t.Helper()
	var pod struct {
		Spec map[string]json.RawMessage `json:"spec"`
	}
	if err := json.Unmarshal([]byte(object), &pod); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(operations)
	if err != nil {
		t.Fatal(err)
	}
	var patch []struct {
		Op, Path string
		Value    json.RawMessage
	}
	if err := json.Unmarshal(text, &patch); err != nil {
		t.Fatal(err)
	}
	for _, o := range patch {
		var l []json.RawMessage
		switch {
		case o.Op == "add" && o.Path == "/spec/tolerations":
			pod.Spec["tolerations"] = o.Value
		case o.Op == "add" && o.Path == "/spec/tolerations/-" && json.Unmarshal(pod.Spec["tolerations"], &l) == nil && l != nil:
			if pod.Spec["tolerations"], err = json.Marshal(append(l, o.Value)); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatalf("%s %s cannot be applied to %s", o.Op, o.Path, pod.Spec["tolerations"])
		}
	}
	out, err := toleration.DecodeList(pod.Spec["tolerations"], toleration.ListOptions{})
	if err != nil && len(pod.Spec["tolerations"]) > 0 {
		t.Fatal(err)
	}
	return out
}

func TestPatch(t *testing.T) {
	added := list("b:NoExecute op=Exists for 5s", "c")
	for _, tt := range []struct {
		name, spec string
		operations int
		want       string
	}{
		{"V9_absent", `{}`, 1, "b:NoExecute op=Exists for 5s,c"},
		{"V9_null", `{"tolerations":null}`, 1, "b:NoExecute op=Exists for 5s,c"},
		{"V9_empty", `{"tolerations":[]}`, 1, "b:NoExecute op=Exists for 5s,c"},
		{"V9_some", `{"tolerations":[{"key":"a","operator":"Equal"}]}`, 2, "a op=Equal,b:NoExecute op=Exists for 5s,c"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			object := `{"spec":` + tt.spec + `}`
			pod, err := admission.DecodePod([]byte(object), toleration.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			patch := admission.Patch(pod.Tolerations, added)
			if len(patch) != tt.operations {
				t.Errorf("%d operations, want %d", len(patch), tt.operations)
			}
			check(t, "patched", apply(t, object, patch), tt.want)
			if pod.Tolerations == nil && len(admission.Patch([]toleration.Toleration{}, added)) != 1 {
				t.Error("an empty list is not as good as none")
			}
			if nothing := admission.Patch(pod.Tolerations, nil); nothing != nil {
				t.Errorf("nothing to add: %v", nothing)
			}
		})
	}
}
