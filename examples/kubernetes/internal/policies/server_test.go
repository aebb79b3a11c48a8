// Package policies tests the policies that enforce compiles, in one process: they are decoded,
// validated, compiled and dispatched with the API server's own packages and limits.
package policies

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-tolerate/tolerate/internal/problem"
	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types/ref"
	admissionv1 "k8s.io/api/admission/v1"
	v1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/admissionregistration"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	"k8s.io/kubernetes/pkg/apis/admissionregistration/validation"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
)

// fields are those of an object as it is sent to the API.
type fields = map[string]any

// A server has policies. It serves one request at a time.
type server struct {
	costs     map[string]*units                      // the most of a request, by policy
	decisions map[string][]validating.PolicyDecision // of the last request

	labels map[string]string // of the namespace of the request

	validating []validating.PolicyHook
	mutating   []mutating.PolicyHook
	mutate     generic.Dispatcher[mutating.PolicyHook]
	validate   generic.Dispatcher[validating.PolicyHook]
}

// units are costs of CEL: of the match conditions, of the validations and their messages, which
// have one budget, of the annotations, of the expression that costs most, and of all expressions.
type units struct{ match, validate, message, annotate, dearest, all int64 }

var (
	codecs     = serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict)
	interfaces = admission.NewObjectInterfacesFromScheme(legacyscheme.Scheme)
)

// decoded returns an object with its defaults, in the internal version of the API.
func decoded(object any) (runtime.Object, error) {
	return runtime.Decode(codecs.UniversalDecoder(), problem.Must(json.Marshal(object)))
}

// podOf returns the pod that has the internal version of the API.
func podOf(internal runtime.Object) *corev1.Pod {
	pod := new(corev1.Pod)
	if err := legacyscheme.Scheme.Convert(internal, pod, nil); err != nil {
		panic(err)
	}
	return pod
}

// newServer returns a server with the policies, each before its binding, whose expressions can be
// those of Kubernetes 1.minor. It reports what the API server would object to when they are
// created, and what does not compile.
func newServer(objects []fields, minor uint, mode environment.Type) (*server, error) {
	env := environment.MustBaseEnvSet(version.MajorMinor(1, minor))
	s := &server{costs: map[string]*units{}, decisions: map[string][]validating.PolicyDecision{}}
	matcher := matching.NewMatcher(namespaces{s}, nil)
	s.mutate, s.validate = mutating.NewDispatcher(nil, matcher, converters{}), validating.NewDispatcher(nil, generic.NewPolicyMatcher(matcher))
	for i, o := range objects {
		internal, err := decoded(o)
		if err != nil {
			return nil, fmt.Errorf("object %d: %w", i, err)
		}
		var problems field.ErrorList
		switch p := internal.(type) {
		case *admissionregistration.ValidatingAdmissionPolicy:
			problems = validation.ValidateValidatingAdmissionPolicy(p)
		case *admissionregistration.ValidatingAdmissionPolicyBinding:
			problems = validation.ValidateValidatingAdmissionPolicyBinding(p)
		case *admissionregistration.MutatingAdmissionPolicy:
			problems = validation.ValidateMutatingAdmissionPolicy(p)
		case *admissionregistration.MutatingAdmissionPolicyBinding:
			problems = validation.ValidateMutatingAdmissionPolicyBinding(p)
		}
		versioned, err := legacyscheme.Scheme.ConvertToVersion(internal, v1.SchemeGroupVersion)
		if err := errors.Join(err, problems.ToAggregate()); err != nil {
			return nil, fmt.Errorf("object %d: %w", i, err)
		}
		switch p := versioned.(type) {
		case *v1.ValidatingAdmissionPolicy:
			s.costs[p.Name] = new(units)
			var v validating.Validator
			v, err = validator(p, env, mode, s.costs[p.Name])
			s.validating = append(s.validating, validating.PolicyHook{Policy: p, Evaluator: &decider{v, s, p.Name}})
		case *v1.ValidatingAdmissionPolicyBinding:
			hook := &s.validating[len(s.validating)-1]
			if hook.Bindings = append(hook.Bindings, p); p.Spec.PolicyName != hook.Policy.Name {
				err = fmt.Errorf("object %d: binds %s", i, p.Spec.PolicyName)
			}
		case *v1.MutatingAdmissionPolicy:
			costs := new(units)
			s.costs["mutating "+p.Name] = costs // a validating one has the name, too
			var e mutating.PolicyEvaluator
			e, err = mutator(p, env, mode, costs)
			s.mutating = append(s.mutating, mutating.PolicyHook{Policy: p, Evaluator: e})
		case *v1.MutatingAdmissionPolicyBinding:
			hook := &s.mutating[len(s.mutating)-1]
			if hook.Bindings = append(hook.Bindings, p); p.Spec.PolicyName != hook.Policy.Name {
				err = fmt.Errorf("object %d: binds %s", i, p.Spec.PolicyName)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// The API server declares the authorizer for all but messages.
var (
	declared = cel.OptionalVariableDeclarations{HasAuthorizer: true}
	patching = cel.OptionalVariableDeclarations{HasAuthorizer: true, HasPatchTypes: true}
)

func mutator(p *v1.MutatingAdmissionPolicy, env *environment.EnvSet, mode environment.Type, costs *units) (e mutating.PolicyEvaluator, err error) {
	r, err := newRecorder(env, mode, p.Name, p.Spec.Variables, costs)
	if err != nil {
		return e, err
	}
	e = mutating.PolicyEvaluator{Matcher: r.matcher(p.Spec.MatchConditions, p.Spec.FailurePolicy), CompositedCompiler: r.composited}
	for _, m := range p.Spec.Mutations {
		accessor := &patch.JSONPatchCondition{Expression: m.JSONPatch.Expression}
		e.Mutators = append(e.Mutators, patch.NewJSONPatcher(r.composited.CompileMutatingEvaluator(accessor, patching, r.mode)))
	}
	return e, errors.Join(r.errs...)
}

func validator(p *v1.ValidatingAdmissionPolicy, env *environment.EnvSet, mode environment.Type, costs *units) (validating.Validator, error) {
	r, err := newRecorder(env, mode, p.Name, p.Spec.Variables, costs)
	if err != nil {
		return nil, err
	}
	matcher := r.matcher(p.Spec.MatchConditions, p.Spec.FailurePolicy)
	var validations, messages, annotations []cel.ExpressionAccessor
	for _, v := range p.Spec.Validations {
		validations, messages = append(validations, &validating.ValidationCondition{Expression: v.Expression, Message: v.Message, Reason: v.Reason}), append(messages, nil)
		if v.MessageExpression != "" {
			messages[len(messages)-1] = &validating.MessageExpressionCondition{MessageExpression: v.MessageExpression}
		}
	}
	for _, a := range p.Spec.AuditAnnotations {
		annotations = append(annotations, &validating.AuditAnnotationCondition{Key: a.Key, ValueExpression: a.ValueExpression})
	}
	v := validating.NewValidator(
		r.condition(validations, declared, &costs.validate), matcher, r.condition(annotations, declared, &costs.annotate),
		r.condition(messages, cel.OptionalVariableDeclarations{}, &costs.message), p.Spec.FailurePolicy, nil)
	return v, errors.Join(r.errs...)
}

// A call creates an object, or updates Old if this is not nil. Objects have the internal
// version of the API.
type call struct {
	Namespace, User string
	Labels          map[string]string // of the namespace
	Groups          []string
	Kind            schema.GroupVersionKind
	Object, Old     runtime.Object
}

// An answer is what becomes of a call.
type answer struct {
	object      runtime.Object // as the policies changed it
	err         error
	warnings    []string
	annotations map[string]string
}

// admit answers a call. It does not change the objects.
func (s *server) admit(ctx context.Context, c call) answer {
	given, operation := answer{object: c.Object.DeepCopyObject(), annotations: map[string]string{}}, admission.Create
	clear(s.decisions)
	s.labels = c.Labels
	if c.Old != nil {
		operation = admission.Update
	}
	accessor, err := meta.Accessor(given.object)
	if err != nil {
		return answer{err: err}
	}
	resource, _ := meta.UnsafeGuessKindToResource(c.Kind)
	a := attributes{admission.NewAttributesRecord(given.object, c.Old, c.Kind, c.Namespace, accessor.GetName(), resource, "", operation, nil, false,
		&user.DefaultInfo{Name: c.User, Groups: c.Groups}), given.annotations}
	ctx = warning.WithWarningRecorder(ctx, (*warnings)(&given.warnings))
	given.err = s.mutate.Dispatch(ctx, a, interfaces, s.mutating)
	if again := a.GetReinvocationContext(); given.err == nil && again.ShouldReinvoke() {
		again.SetIsReinvoke()
		given.err = s.mutate.Dispatch(ctx, a, interfaces, s.mutating)
	}
	if given.err == nil {
		given.err = s.validate.Dispatch(ctx, a, interfaces, s.validating)
	}
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

// namespaces has each namespace that is named, with the labels of the request's.
type namespaces struct{ *server }

func (namespaces) List(labels.Selector) ([]*corev1.Namespace, error) { return nil, nil }

func (n namespaces) Get(name string) (*corev1.Namespace, error) {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: n.labels}}, nil
}

// converters are for patches of another kind than JSON patches.
type converters struct{}

func (converters) GetTypeConverter(schema.GroupVersionKind) managedfields.TypeConverter {
	return managedfields.NewDeducedTypeConverter()
}

func (converters) Run(context.Context) {}

// A decider keeps the decisions of a policy.
type decider struct {
	validating.Validator
	server *server
	policy string
}

func (d *decider) Validate(ctx context.Context, resource schema.GroupVersionResource, a *admission.VersionedAttributes, params runtime.Object, namespace *corev1.Namespace, budget int64, authz authorizer.UnconditionalAuthorizer) validating.ValidateResult {
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

// A recorder compiles the expressions of a policy with a compiler of the API server. It keeps
// the errors, and what the expressions cost.
type recorder struct {
	cel.Compiler
	composited *cel.CompositedCompiler
	mode       environment.Type
	policy     string
	errs       []error
	costs      *units
}

func newRecorder(env *environment.EnvSet, mode environment.Type, policy string, variables []v1.Variable, costs *units) (r *recorder, err error) {
	r = &recorder{mode: mode, policy: policy, costs: costs}
	if r.composited, err = cel.NewCompositedCompiler(env); err != nil {
		return nil, err
	}
	r.Compiler = r.composited.Compiler
	r.composited.Compiler, r.composited.ConditionCompiler, r.composited.MutatingCompiler = r, r, r
	for _, v := range variables {
		r.composited.CompileAndStoreVariable(&validating.Variable{Name: v.Name, Expression: v.Expression}, declared, mode)
	}
	return r, nil
}

func (r *recorder) CompileCELExpression(e cel.ExpressionAccessor, d cel.OptionalVariableDeclarations, mode environment.Type) cel.CompilationResult {
	result := r.Compiler.CompileCELExpression(e, d, mode)
	if result.Error != nil {
		r.errs = append(r.errs, fmt.Errorf("%s: %s: %w", r.policy, e.GetExpression(), result.Error))
	} else {
		result.Program = &program{result.Program, r.costs}
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

func (r *recorder) condition(all []cel.ExpressionAccessor, d cel.OptionalVariableDeclarations, spent *int64) cel.ConditionEvaluator {
	return &meter{r.composited.CompileCondition(all, d, r.mode), spent}
}

func (r *recorder) matcher(conditions []v1.MatchCondition, failure *v1.FailurePolicyType) matchconditions.Matcher {
	var all []cel.ExpressionAccessor
	for i := range conditions {
		all = append(all, (*matchconditions.MatchCondition)(&conditions[i]))
	}
	return matchconditions.NewMatcher(r.condition(all, declared, &r.costs.match), failure, "policy", "validate", r.policy)
}

type program struct {
	celgo.Program
	costs *units
}

func (p *program) ContextEval(ctx context.Context, vars any) (ref.Val, *celgo.EvalDetails, error) {
	value, details, err := p.Program.ContextEval(ctx, vars)
	if details != nil && details.ActualCost() != nil {
		p.costs.dearest = max(p.costs.dearest, int64(*details.ActualCost()))
		p.costs.all += int64(*details.ActualCost())
	}
	return value, details, err
}
