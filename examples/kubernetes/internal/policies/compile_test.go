// Package policies admits objects as an API server does that has admission policies, in the
// process of a test: it decodes and validates the policies, and compiles and dispatches them
// with the API server's own packages and limits. It measures what they cost, and reports which
// of their branches were never taken.
package policies

import (
	"encoding/json"
	"errors"
	"fmt"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/admissionregistration"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	"k8s.io/kubernetes/pkg/apis/admissionregistration/validation"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
)

// A server has policies. It serves one request at a time.
type server struct {
	// costs are the most that a request has spent of each policy's budgets, by its name.
	costs map[string]*units
	// decisions are those of the last request, by policy.
	decisions map[string][]validating.PolicyDecision

	validating []validating.PolicyHook
	mutating   []mutating.PolicyHook
	interfaces admission.ObjectInterfaces
	mutate     generic.Dispatcher[mutating.PolicyHook]
	validate   generic.Dispatcher[validating.PolicyHook]
}

// units are the costs of CEL. Match, Annotate and Mutate have budgets of their own, Validate and
// Message have one together. Dearest is that of the expression that costs most.
type units struct {
	Match, Validate, Message, Annotate, Mutate, Dearest int64
	Expression                                          string
}

var codecs = serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict)

// decodeText decodes an object strictly, with its defaults, to the internal version of the API.
func decodeText(data []byte) (runtime.Object, error) {
	return runtime.Decode(codecs.UniversalDecoder(), data)
}

// newServer returns a server with the policies among the objects. It reports what the API server
// would object to when they are created, and what does not compile. branches can be nil.
func newServer(objects []fields, branches *coverage) (*server, error) {
	s := &server{costs: map[string]*units{}, decisions: map[string][]validating.PolicyDecision{}, interfaces: admission.NewObjectInterfacesFromScheme(legacyscheme.Scheme)}
	bindings := map[string][]runtime.Object{}
	var policies []runtime.Object
	for i, o := range objects {
		text, err := json.Marshal(o)
		if err != nil {
			return nil, err
		}
		decoded, err := decodeText(text)
		if err != nil {
			return nil, fmt.Errorf("object %d: %w", i, err)
		}
		var problems field.ErrorList
		switch p := decoded.(type) {
		case *admissionregistration.ValidatingAdmissionPolicy:
			problems = validation.ValidateValidatingAdmissionPolicy(p)
		case *admissionregistration.ValidatingAdmissionPolicyBinding:
			problems = validation.ValidateValidatingAdmissionPolicyBinding(p)
		case *admissionregistration.MutatingAdmissionPolicy:
			problems = validation.ValidateMutatingAdmissionPolicy(p)
		case *admissionregistration.MutatingAdmissionPolicyBinding:
			problems = validation.ValidateMutatingAdmissionPolicyBinding(p)
		}
		if len(problems) > 0 {
			return nil, fmt.Errorf("object %d: %w", i, problems.ToAggregate())
		}
		versioned, err := legacyscheme.Scheme.ConvertToVersion(decoded, v1.SchemeGroupVersion)
		if err != nil {
			return nil, err
		}
		switch p := versioned.(type) {
		case *v1.ValidatingAdmissionPolicyBinding:
			bindings[p.Spec.PolicyName] = append(bindings[p.Spec.PolicyName], p)
		case *v1.MutatingAdmissionPolicyBinding:
			bindings[p.Spec.PolicyName] = append(bindings[p.Spec.PolicyName], p)
		default:
			policies = append(policies, p)
		}
	}
	for _, o := range policies {
		var err error
		switch p := o.(type) {
		case *v1.ValidatingAdmissionPolicy:
			hook := validating.PolicyHook{Policy: p}
			for _, b := range bindings[p.Name] {
				hook.Bindings = append(hook.Bindings, b.(*v1.ValidatingAdmissionPolicyBinding))
			}
			hook.Evaluator, err = s.validator(p, branches)
			s.validating = append(s.validating, hook)
		case *v1.MutatingAdmissionPolicy:
			hook := mutating.PolicyHook{Policy: p}
			for _, b := range bindings[p.Name] {
				hook.Bindings = append(hook.Bindings, b.(*v1.MutatingAdmissionPolicyBinding))
			}
			hook.Evaluator, err = s.mutator(p, branches)
			s.mutating = append(s.mutating, hook)
		}
		if err != nil {
			return nil, err
		}
	}
	matcher := matching.NewMatcher(namespaces{}, nil)
	s.mutate, s.validate = mutating.NewDispatcher(nil, matcher, converters{}), validating.NewDispatcher(nil, generic.NewPolicyMatcher(matcher))
	return s, nil
}

// checkVersion compiles the validating policies for new expressions as an API server does whose
// expressions must be those of Kubernetes 1.minor.
func checkVersion(objects []fields, minor uint) error {
	var all []error
	for _, o := range objects {
		text, err := json.Marshal(o)
		policy := new(v1.ValidatingAdmissionPolicy)
		if err := errors.Join(err, json.Unmarshal(text, policy)); err != nil {
			return err
		}
		if policy.Kind == "ValidatingAdmissionPolicy" {
			_, err = compiled(policy, environment.MustBaseEnvSet(version.MajorMinor(1, minor)), environment.NewExpressions, new(units), nil)
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// The API server declares the authorizer for all but messages.
var (
	declared = cel.OptionalVariableDeclarations{HasAuthorizer: true}
	patching = cel.OptionalVariableDeclarations{HasAuthorizer: true, HasPatchTypes: true}
)

func (s *server) mutator(p *v1.MutatingAdmissionPolicy, branches *coverage) (mutating.PolicyEvaluator, error) {
	s.costs[p.Name] = new(units)
	r, err := newRecorder(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()), p.Name, s.costs[p.Name], branches)
	if err != nil {
		return mutating.PolicyEvaluator{}, err
	}
	for _, v := range p.Spec.Variables {
		r.composited.CompileAndStoreVariable(&validating.Variable{Name: v.Name, Expression: v.Expression}, declared, environment.StoredExpressions)
	}
	matcher := r.matcher(p.Spec.MatchConditions, p.Spec.FailurePolicy, environment.StoredExpressions)
	e := mutating.PolicyEvaluator{Matcher: matcher, CompositedCompiler: r.composited}
	for _, m := range p.Spec.Mutations {
		if m.PatchType != v1.PatchTypeJSONPatch {
			return e, fmt.Errorf("%s: patch type %s", p.Name, m.PatchType)
		}
		evaluator := r.composited.CompileMutatingEvaluator(&patch.JSONPatchCondition{Expression: m.JSONPatch.Expression}, patching, environment.StoredExpressions)
		e.Mutators = append(e.Mutators, patch.NewJSONPatcher(&mutationMeter{evaluator, &r.costs.Mutate}))
	}
	return e, errors.Join(r.errs...)
}

func (s *server) validator(p *v1.ValidatingAdmissionPolicy, branches *coverage) (validating.Validator, error) {
	s.costs[p.Name] = new(units)
	v, err := compiled(p, environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()), environment.StoredExpressions, s.costs[p.Name], branches)
	return &decided{v, s, p.Name}, err
}

func compiled(p *v1.ValidatingAdmissionPolicy, env *environment.EnvSet, mode environment.Type, costs *units, branches *coverage) (validating.Validator, error) {
	r, err := newRecorder(env, p.Name, costs, branches)
	if err != nil {
		return nil, err
	}
	for _, v := range p.Spec.Variables {
		r.composited.CompileAndStoreVariable(&validating.Variable{Name: v.Name, Expression: v.Expression}, declared, mode)
	}
	matcher := r.matcher(p.Spec.MatchConditions, p.Spec.FailurePolicy, mode)
	var validations, messages, annotations []cel.ExpressionAccessor
	for _, v := range p.Spec.Validations {
		validations = append(validations, &validating.ValidationCondition{Expression: v.Expression, Message: v.Message, Reason: v.Reason})
		var message cel.ExpressionAccessor
		if v.MessageExpression != "" {
			message = &validating.MessageExpressionCondition{MessageExpression: v.MessageExpression}
		}
		messages = append(messages, message)
	}
	for _, a := range p.Spec.AuditAnnotations {
		annotations = append(annotations, &validating.AuditAnnotationCondition{Key: a.Key, ValueExpression: a.ValueExpression})
	}
	condition := func(all []cel.ExpressionAccessor, d cel.OptionalVariableDeclarations, spent *int64) cel.ConditionEvaluator {
		return &meter{r.composited.CompileCondition(all, d, mode), spent}
	}
	v := validating.NewValidator(
		condition(validations, declared, &costs.Validate), matcher, condition(annotations, declared, &costs.Annotate),
		condition(messages, cel.OptionalVariableDeclarations{}, &costs.Message), p.Spec.FailurePolicy, nil)
	return v, errors.Join(r.errs...)
}
