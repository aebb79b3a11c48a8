package kubernetes_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// A probe is a pod that is created again and again, and what becomes of it: "refused", or its label
// and its tolerations with the key of the file, such as gone/gone.
type probe struct {
	file, namespace, tolerations string
	want                         string
	versions                     [4]string // what to want, by version of the file; without it, 0
	old                          string    // what was wanted before, if it changes
	answers                      []answer
}

type answer struct {
	start, end time.Time
	is         string
	err        error
}

const isRefused = "refused"

// try creates the pod once.
func (p *probe) try(ctx context.Context) (a answer) {
	a.start = time.Now()
	created, err := live.Client.CoreV1().Pods(p.namespace).Create(ctx, tolerating("probe", p.tolerations), dry)
	a.end, a.err = time.Now(), err
	switch {
	case apierrors.IsForbidden(err):
		a.is = isRefused
	case err != nil:
		a.is = err.Error()
	default:
		var values []string
		for _, u := range created.Spec.Tolerations {
			if u.Key == p.file {
				values = append(values, u.Value)
			}
		}
		slices.Sort(values)
		a.is = created.Spec.NodeSelector[p.file] + "/" + strings.Join(values, ",")
	}
	return a
}

// probing tries all until stop is called, with a pause after each answer. They can be read while the
// mutex is held.
func probing(ctx context.Context, all []*probe, pause time.Duration) (mutex *sync.Mutex, stop func()) {
	mutex = new(sync.Mutex)
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for _, p := range all {
		running.Go(func() {
			for ctx.Err() == nil {
				a := p.try(context.WithoutCancel(ctx))
				mutex.Lock()
				p.answers = append(p.answers, a)
				mutex.Unlock()
				time.Sleep(pause)
			}
		})
	}
	return mutex, func() { cancel(); running.Wait() }
}

// teamRules returns a version of a file. Version 2 inserts rules before all others, with one for
// another team; version 3 omits a team, and changes another's.
func teamRules(file string, version int) string {
	var text strings.Builder
	team := func(name, value string) {
		fmt.Fprintf(&text, "- {name: %[2]s, namespaces: [%[1]s-%[2]s], tolerations: [{key: %[1]s, value: %[3]s}], nodeSelector: {%[1]s: %[3]s}}\n", file, name, value)
	}
	fmt.Fprintln(&text, "rules:")
	if version >= 2 {
		fmt.Fprintln(&text, "- {namespaces: [kube-system], policy: {allow: [{taints: [{operator: Exists}]}]}}")
		team("new", "new")
	}
	team("stay", "stay")
	if version < 3 {
		team("gone", "gone")
		team("moves", "moves")
	} else {
		team("moves", "moved")
	}
	fmt.Fprintf(&text, "- policy: {allow: [{taints: [{operator: Exists}]}], deny: [{taints: [{key: %s, operator: Exists}]}]}\n", file)
	return text.String()
}

// While two teams apply one version of their files after another, and delete everything, rules that
// do not change are in force at every moment: what they refuse is refused, and a pod has both its
// label and its toleration, or is refused. How long anything else is wrong is logged.
func TestEnforce_versions(t *testing.T) {
	ctx := patient(t)
	var probes []*probe
	for _, f := range []string{"a", "b"} {
		createNamespaces(ctx, t, f+"-new", f+"-stay", f+"-gone", f+"-moves")
		probes = append(probes,
			&probe{file: f, namespace: f + "-stay", versions: [4]string{"/", "stay/stay", "stay/stay", "stay/stay"}},
			&probe{file: f, namespace: f + "-stay", tolerations: f + "=gone", versions: [4]string{"/gone", isRefused, isRefused, isRefused}},
			&probe{file: f, namespace: "default", tolerations: f + "=stay", versions: [4]string{"/stay", isRefused, isRefused, isRefused}},
			&probe{file: f, namespace: f + "-new", versions: [4]string{"/", "/", "new/new", "new/new"}},
			&probe{file: f, namespace: f + "-new", tolerations: f + "=new", versions: [4]string{"/new", isRefused, "new/new", "new/new"}},
			&probe{file: f, namespace: f + "-gone", versions: [4]string{"/", "gone/gone", "gone/gone", "/"}},
			&probe{file: f, namespace: f + "-gone", tolerations: f + "=gone", versions: [4]string{"/gone", "gone/gone", "gone/gone", isRefused}},
			&probe{file: f, namespace: f + "-moves", versions: [4]string{"/", "moves/moves", "moves/moves", "moved/moved"}})
	}
	shell(ctx, t, true, "kubectl tolerate enforce --help") // is built
	for _, p := range probes {
		p.old = p.versions[0]
	}
	mutex, stop := probing(ctx, probes, 100*time.Millisecond)
	defer stop()
	file, versions := filepath.Join(t.TempDir(), "rules.yaml"), map[string]int{}
	for version := 1; version <= 4; version++ {
		for _, f := range []string{"a", "b"} {
			start, args := time.Now(), "--name "+f+" -f "+file
			if version == 4 {
				printed(ctx, t, deleteAll, args)
			} else {
				if err := os.WriteFile(file, []byte(teamRules(f, version)), 0o600); err != nil {
					t.Fatal(err)
				}
				shell(ctx, t, true, "kubectl tolerate enforce "+args+" | kubectl apply --server-side -f -")
			}
			end, before := time.Now(), versions[f]
			versions[f] = version % 4
			mutex.Lock()
			for _, p := range probes {
				p.want = p.versions[versions[p.file]]
			}
			mutex.Unlock()
			settled(ctx, t, mutex, probes)
			t.Logf("%s, version %d to %d, in %v:", f, before, versions[f], end.Sub(start).Round(time.Millisecond))
			mutex.Lock()
			for _, p := range probes {
				p.report(t, end)
				p.old, p.answers = p.want, nil
			}
			mutex.Unlock()
		}
	}
}

// settled waits until for three seconds all answers are the right ones. It fails the test if one is
// right neither before nor after a change.
func settled(ctx context.Context, t *testing.T, mutex *sync.Mutex, probes []*probe) {
	t.Helper()
	since := time.Now()
	await(ctx, t, "all answers are right", func() bool {
		mutex.Lock()
		defer mutex.Unlock()
		for _, p := range probes {
			for _, a := range p.answers {
				if a.end.After(since) && a.is != p.want {
					since = a.end
				}
				if p.old != "" && a.is != p.old && a.is != p.want && a.is != isRefused && (p.tolerations == "" || p.old == p.want) {
					t.Fatalf("a pod in %s with %q: %s, want %s or %s", p.namespace, p.tolerations, a.is, p.old, p.want)
				}
			}
		}
		return time.Since(since) > 3*time.Second
	})
}

// report logs for how long the answers were wrong.
func (p *probe) report(t *testing.T, end time.Time) {
	wrong, counts := map[string][]time.Time{}, map[string]int{}
	for _, a := range p.answers {
		counts[a.is]++
		if a.is != p.want && (a.is != p.old || a.start.After(end)) {
			wrong[a.is] = append(wrong[a.is], a.start, a.end)
		}
	}
	if p.old == p.want {
		t.Logf("  %s with %q, unchanged: %v", p.namespace, p.tolerations, counts)
	}
	for is, times := range wrong {
		first, last := times[0], times[len(times)-1]
		t.Logf("  %s with %q: %s instead of %s, for %v, until %v after the end", p.namespace, p.tolerations, is, p.want, last.Sub(first).Round(10*time.Millisecond), last.Sub(end).Round(10*time.Millisecond))
	}
}

// manyRules returns rules of these teams.
func manyRules(from, to int) string {
	const all = `{"taints": [{"operator": "Exists"}]`
	rules := []string{`{"namespaces": ["kube-system"], "policy": {"allow": [` + all + `}]}}`}
	for i := from; i < to; i++ {
		rules = append(rules, fmt.Sprintf(`{"namespaces": ["team-%[1]d"], "tolerations": [{"key": "dedicated", "value": "team-%[1]d"}], "nodeSelector": {"dedicated": "team-%[1]d"},
			"policy": {"allow": [%[2]s, "except": [{"key": "dedicated", "operator": "Exists"}]}, {"taints": [{"key": "dedicated", "value": "team-%[1]d"}]}]}}`, i, all))
	}
	rules = append(rules, `{"policy": {"allow": [`+all+`}], "deny": [{"taints": [{"key": "dedicated", "operator": "Exists"}]}]}}`)
	return `{"rules": [` + strings.Join(rules, ",\n") + "]}"
}

// 100 teams have few objects. While an API server starts, it admits no pod that the rules refuse or
// complete, and refuses none of kube-system because of a policy that completes pods.
func TestEnforce_restartTeams(t *testing.T) {
	ctx := patient(t)
	createNamespaces(ctx, t, "kube-system", "team-99")
	file := applyRules(ctx, t, manyRules(0, 100))
	text := shell(ctx, t, true, "kubectl tolerate enforce -f "+file+" 2>/dev/null")
	kinds := regexp.MustCompile(`(?m)^kind: .*`).FindAllString(text, -1)
	t.Logf("%d objects, %d bytes: %q", len(kinds), len(text), kinds)
	if len(kinds) > 10 {
		t.Error("more than 10 objects")
	}
	// What a mutating policy matches is refused until the API server has read its own schema.
	namespace, err := live.Client.CoreV1().Namespaces().Get(ctx, "kube-system", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	bindings, err := live.Client.AdmissionregistrationV1().MutatingAdmissionPolicyBindings().List(ctx, metav1.ListOptions{})
	if err != nil || len(bindings.Items) == 0 {
		t.Fatalf("%d bindings, %v", len(bindings.Items), err)
	}
	for _, b := range bindings.Items {
		if b.Spec.MatchResources == nil {
			t.Errorf("%s matches pods of kube-system", b.Name)
		} else if s, err := metav1.LabelSelectorAsSelector(b.Spec.MatchResources.NamespaceSelector); err != nil || s.Matches(labels.Set(namespace.Labels)) {
			t.Errorf("%s matches pods of kube-system, %v", b.Name, err)
		}
	}
	system := &probe{file: "dedicated", namespace: "kube-system", tolerations: "op=Exists", want: "/"}
	team := &probe{file: "dedicated", namespace: "team-99", want: "team-99/team-99"}
	outsider := &probe{file: "dedicated", namespace: "default", tolerations: "dedicated=team-3", want: isRefused}
	foreign := &probe{file: "dedicated", namespace: "team-99", tolerations: "dedicated=team-3", want: isRefused}
	probes := []*probe{system, team, outsider, foreign}
	mutex, stop := probing(ctx, probes, 20*time.Millisecond)
	settled(ctx, t, mutex, probes)
	begin := time.Now()
	err = live.Restart(context.Background())
	t.Logf("restarted in %v", time.Since(begin))
	if err == nil {
		settled(ctx, t, mutex, probes)
	}
	stop()
	if err != nil {
		t.Fatal(err)
	}
	var up time.Time // the last time that nobody listened
	answered := func(a answer) bool {
		return a.err == nil || apierrors.ReasonForError(a.err) != metav1.StatusReasonUnknown
	}
	for _, p := range probes {
		for _, a := range p.answers {
			if !answered(a) && a.end.After(up) {
				up = a.end
			}
		}
	}
	for _, p := range probes {
		var first, right time.Duration
		counts, waited := map[string]int{}, time.Duration(0)
		for _, a := range p.answers {
			if a.start.Before(begin) || !answered(a) {
				continue
			}
			// All pods are refused until all policies are known.
			unready, restarted := a.err != nil && strings.Contains(a.err.Error(), "not yet ready to handle request"), a.end.After(up)
			if a.err == nil && a.is != p.want || p == system && a.err != nil && restarted && !unready {
				t.Errorf("a pod in %s with %q: %s, %v", p.namespace, p.tolerations, a.is, a.err)
			}
			if !restarted {
				continue
			}
			counts[fmt.Sprintf("%.120v", a.err)]++
			waited = max(waited, a.end.Sub(a.start))
			if first == 0 {
				first = a.end.Sub(up)
			}
			if right == 0 && a.is == p.want && !unready {
				right = a.end.Sub(up)
			}
		}
		t.Logf("a pod in %s with %q: the first answer after %v, the first right one after %v, the slowest took %v: %v", p.namespace, p.tolerations, first, right, waited, counts)
	}
}

// BenchmarkEnforce creates pods without rules, with those of one team and of 100, in the namespace
// of a team and in another. An iteration creates 50 of each; the times are medians.
func BenchmarkEnforce(b *testing.B) {
	ctx := b.Context()
	createNamespaces(ctx, b, "team-99")
	files := map[string]string{}
	for name, from := range map[string]int{"1": 99, "100": 0} {
		files[name] = filepath.Join(b.TempDir(), "rules.yaml")
		if err := os.WriteFile(files[name], []byte(manyRules(from, 100)), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	times := map[string][]time.Duration{}
	for range b.N {
		for _, teams := range []string{"0", "1", "100"} {
			if teams == "0" {
				printed(ctx, b, deleteAll, "-f "+files["1"])
			} else {
				shell(ctx, b, true, "kubectl tolerate enforce -f "+files[teams]+" | kubectl apply --server-side -f -")
			}
			await(ctx, b, "the rules are used", func() bool {
				team := (&probe{file: "dedicated", namespace: "team-99"}).try(ctx)
				outside := (&probe{file: "dedicated", namespace: "default", tolerations: "dedicated=team-99"}).try(ctx)
				return teams == "0" && team.is == "/" && outside.err == nil || teams != "0" && team.is == "team-99/team-99" && outside.is == isRefused
			})
			time.Sleep(3 * time.Second) // all of them
			for i := range 60 {
				for where, namespace := range map[string]string{"inside": "team-99", "outside": "default"} {
					start := time.Now()
					if _, err := live.Client.CoreV1().Pods(namespace).Create(ctx, tolerating(fmt.Sprintf("p-%d", i), ""), metav1.CreateOptions{}); err != nil {
						b.Fatal(err)
					}
					if i >= 10 {
						times[where+"-"+teams] = append(times[where+"-"+teams], time.Since(start))
					}
				}
			}
			fresh(ctx, b)
		}
	}
	printed(context.WithoutCancel(ctx), b, deleteAll, "-f "+files["1"])
	median := func(name string) float64 {
		slices.Sort(times[name])
		return float64(times[name][len(times[name])/2]) / float64(time.Millisecond)
	}
	for _, where := range []string{"inside", "outside"} {
		for _, teams := range []string{"0", "1", "100"} {
			b.ReportMetric(median(where+"-"+teams), where+"-"+teams+"-ms")
		}
	}
}
