package policies

import (
	"context"
	"errors"
	"fmt"

	celgo "github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
	"github.com/google/cel-go/parser"
	admissionv1 "k8s.io/api/admission/v1"
	v1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/warning"
	listers "k8s.io/client-go/listers/core/v1"
)

// A call creates an object, or updates Old if this is not nil. Objects have the internal
// version of the API, as Decode returns them.
type call struct {
	Namespace, User string
	Groups          []string
	Kind            schema.GroupVersionKind
	Object, Old     runtime.Object
}

// An answer is what becomes of a request.
type answer struct {
	Object      runtime.Object // as the policies changed it
	Err         error
	Warnings    []string
	Annotations map[string]string
}

// admit answers a request. It does not change the objects.
func (s *server) admit(ctx context.Context, r call) answer {
	given := answer{Annotations: map[string]string{}}
	clear(s.decisions)
	operation, object := admission.Create, r.Object.DeepCopyObject()
	if r.Old != nil {
		operation = admission.Update
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return answer{Err: err}
	}
	resource, _ := meta.UnsafeGuessKindToResource(r.Kind)
	a := attributes{admission.NewAttributesRecord(object, r.Old, r.Kind, r.Namespace, accessor.GetName(), resource, "", operation, nil, false,
		&user.DefaultInfo{Name: r.User, Groups: r.Groups}), given.Annotations}
	ctx = warning.WithWarningRecorder(ctx, (*warnings)(&given.Warnings))
	given.Err = s.mutate.Dispatch(ctx, a, s.interfaces, s.mutating)
	if again := a.GetReinvocationContext(); given.Err == nil && again.ShouldReinvoke() {
		again.SetIsReinvoke()
		given.Err = s.mutate.Dispatch(ctx, a, s.interfaces, s.mutating)
	}
	if given.Err == nil {
		given.Err = s.validate.Dispatch(ctx, a, s.interfaces, s.validating)
	}
	given.Object = object
	return given
}

type warnings []string

func (w *warnings) AddWarning(_, text string) { *w = append(*w, text) }

// attributes keep annotations.
type attributes struct {
	admission.Attributes
	annotations map[string]string
}

func (a attributes) AddAnnotation(key, value string) error { a.annotations[key] = value; return nil }

// namespaces has each namespace that is named.
type namespaces struct{}

func (namespaces) List(labels.Selector) ([]*corev1.Namespace, error) { return nil, nil }

func (namespaces) Get(name string) (*corev1.Namespace, error) {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelMetadataName: name}}}, nil
}

var _ listers.NamespaceLister = namespaces{}

// converters are for patches of another kind than JSON patches.
type converters struct{}

func (converters) GetTypeConverter(schema.GroupVersionKind) managedfields.TypeConverter {
	return managedfields.NewDeducedTypeConverter()
}

func (converters) Run(context.Context) {}

// decided keeps the decisions of a policy.
type decided struct {
	validating.Validator
	server *server
	policy string
}

func (d *decided) Validate(ctx context.Context, resource schema.GroupVersionResource, a *admission.VersionedAttributes, params runtime.Object, namespace *corev1.Namespace, budget int64, authz authorizer.UnconditionalAuthorizer) validating.ValidateResult {
	result := d.Validator.Validate(ctx, resource, a, params, namespace, budget, authz)
	d.server.decisions[d.policy] = result.Decisions
	return result
}

// A meter keeps the most that was spent of a budget.
type meter struct {
	cel.ConditionEvaluator
	spent *int64
}

func (m *meter) ForInput(ctx context.Context, a *admission.VersionedAttributes, request *admissionv1.AdmissionRequest, inputs cel.OptionalVariableBindings, namespace *corev1.Namespace, budget int64) ([]cel.EvaluationResult, int64, error) {
	results, left, err := m.ConditionEvaluator.ForInput(ctx, a, request, inputs, namespace, budget)
	*m.spent = max(*m.spent, budget-left)
	return results, left, err
}

type mutationMeter struct {
	cel.MutatingEvaluator
	spent *int64
}

func (m *mutationMeter) ForInput(ctx context.Context, a *admission.VersionedAttributes, request *admissionv1.AdmissionRequest, inputs cel.OptionalVariableBindings, namespace *corev1.Namespace, budget int64) (cel.EvaluationResult, int64, error) {
	result, left, err := m.MutatingEvaluator.ForInput(ctx, a, request, inputs, namespace, budget)
	*m.spent = max(*m.spent, budget-left)
	return result, left, err
}

// A recorder compiles the expressions of a policy with a compiler of the API server. It keeps
// the errors, and the most that an expression costs.
type recorder struct {
	compiler   cel.Compiler
	composited *cel.CompositedCompiler
	policy     string
	errs       []error
	costs      *units
	branches   *coverage
}

func newRecorder(env *environment.EnvSet, policy string, costs *units, branches *coverage) (r *recorder, err error) {
	if branches != nil {
		observing := environment.VersionedOptions{IntroducedVersion: version.MajorMinor(1, 0), ProgramOptions: []celgo.ProgramOption{celgo.CustomDecoratorV2(branches.observe)}}
		if env, err = env.Extend(observing); err != nil {
			return nil, err
		}
	}
	r = &recorder{policy: policy, costs: costs, branches: branches}
	r.composited, err = cel.NewCompositedCompiler(env)
	if err != nil {
		return nil, err
	}
	r.compiler = r.composited.Compiler
	r.composited.Compiler, r.composited.ConditionCompiler, r.composited.MutatingCompiler = r, r, r
	return r, nil
}

func (r *recorder) CompileCELExpression(e cel.ExpressionAccessor, d cel.OptionalVariableDeclarations, mode environment.Type) cel.CompilationResult {
	if r.branches != nil {
		r.branches.begin(r.policy, e.GetExpression())
	}
	result := r.compiler.CompileCELExpression(e, d, mode)
	if result.Error != nil {
		r.errs = append(r.errs, fmt.Errorf("%s: %s: %w", r.policy, e.GetExpression(), result.Error))
	} else {
		result.Program = &program{result.Program, e.GetExpression(), r.costs}
	}
	return result
}

func (r *recorder) CompileCondition(all []cel.ExpressionAccessor, d cel.OptionalVariableDeclarations, mode environment.Type) cel.ConditionEvaluator {
	results := make([]cel.CompilationResult, len(all))
	for i, e := range all {
		if e != nil {
			results[i] = r.CompileCELExpression(e, d, mode)
		}
	}
	return cel.NewCondition(results)
}

func (r *recorder) CompileMutatingEvaluator(e cel.ExpressionAccessor, d cel.OptionalVariableDeclarations, mode environment.Type) cel.MutatingEvaluator {
	return cel.NewMutatingEvaluator(r.CompileCELExpression(e, d, mode))
}

func (r *recorder) matcher(conditions []v1.MatchCondition, failure *v1.FailurePolicyType, mode environment.Type) matchconditions.Matcher {
	if len(conditions) == 0 {
		return nil
	}
	var all []cel.ExpressionAccessor
	for i := range conditions {
		all = append(all, (*matchconditions.MatchCondition)(&conditions[i]))
	}
	return matchconditions.NewMatcher(&meter{r.composited.CompileCondition(all, declared, mode), &r.costs.Match}, failure, "policy", "validate", r.policy)
}

// A program keeps the most that it costs.
type program struct {
	celgo.Program
	expression string
	costs      *units
}

func (p *program) ContextEval(ctx context.Context, vars any) (ref.Val, *celgo.EvalDetails, error) {
	value, details, err := p.Program.ContextEval(ctx, vars)
	if details != nil && details.ActualCost() != nil && int64(*details.ActualCost()) > p.costs.Dearest {
		p.costs.Dearest, p.costs.Expression = int64(*details.ActualCost()), p.expression
	}
	return value, details, err
}

// A coverage has the conditions of all expressions that are compiled with it: what stands before
// ? and beside && and ||. It changes what they cost.
type coverage struct {
	current map[int64]*branch
	all     map[string]*branch // by policy, condition and expression
}

type branch struct {
	is     [2]bool // false and true
	failed error
}

// missed returns the conditions that were never true, or never false, or that failed.
func (b *coverage) missed() (all []string) {
	for where, c := range b.all {
		switch {
		case c.failed != nil:
			all = append(all, fmt.Sprintf("%s fails: %v", where, c.failed))
		case !c.is[0] || !c.is[1]:
			all = append(all, fmt.Sprintf("%s: false %t, true %t", where, c.is[0], c.is[1]))
		}
	}
	return all
}

// begin finds the conditions of the expression that is compiled next.
func (b *coverage) begin(policy, text string) {
	if b.current = map[int64]*branch{}; b.all == nil {
		b.all = map[string]*branch{}
	}
	env, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).Env(environment.StoredExpressions)
	if err != nil {
		panic(err)
	}
	parsed, issues := env.Parse(text)
	if issues.Err() != nil {
		return // so does the compiler
	}
	native := parsed.NativeRep()
	celast.PostOrderVisit(native.Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		if e.Kind() != celast.CallKind {
			return
		}
		conditions := e.AsCall().Args()
		switch e.AsCall().FunctionName() {
		case operators.Conditional:
			conditions = conditions[:1]
		case operators.LogicalAnd, operators.LogicalOr:
		default:
			return
		}
		for _, c := range conditions {
			if c.Kind() == celast.IdentKind || c.Kind() == celast.LiteralKind {
				continue // a macro's own result, or a constant
			}
			where, err := parser.Unparse(c, native.SourceInfo())
			if err != nil { // a macro
				at, _ := native.SourceInfo().GetOffsetRange(c.ID())
				where = string([]rune(text)[at.Start:])
			}
			if where = policy + ": " + where + " in " + text; b.all[where] == nil {
				b.all[where] = new(branch)
			}
			b.current[c.ID()] = b.all[where]
		}
	}))
}

// observe decorates the conditions.
func (b *coverage) observe(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	if found := b.current[i.ID()]; found != nil {
		return &observed{i, found}, nil
	}
	return i, nil
}

type observed struct {
	interpreter.InterpretableV2
	*branch
}

func (o *observed) Eval(a interpreter.Activation) ref.Val { return o.note(o.InterpretableV2.Eval(a)) }

func (o *observed) Exec(f *interpreter.ExecutionFrame) ref.Val {
	return o.note(o.InterpretableV2.Exec(f))
}

func (o *observed) note(v ref.Val) ref.Val {
	switch v {
	case types.True:
		o.is[1] = true
	case types.False:
		o.is[0] = true
	default:
		o.failed = errors.New(fmt.Sprint(v))
	}
	return v
}
