package admission

import (
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// The classes of a pod's quality of service.
const (
	BestEffort = "BestEffort" // neither requests nor limits of processor and memory
	Burstable  = "Burstable"  // all other pods
	Guaranteed = "Guaranteed" // limits of both in all containers, with equal requests
)

var qosNames = []string{BestEffort, Burstable, Guaranteed}

// checkQOS returns the problem of an unknown class.
func checkQOS(class string) error {
	if class == "" || slices.Contains(qosNames, class) {
		return nil
	}
	return validate.Problems{{Path: qosPath, Value: class, Rule: validate.NameUnknown, Allowed: qosNames}}
}

// A PodSpec holds what the rules use of a pod. A zero field switches its rule off.
type PodSpec struct {
	Tolerations toleration.List
	QOS         string // BestEffort, Burstable or Guaranteed
	// Resources are the names of all requested or limited resources.
	Resources []string
	// RuntimeClassName is spec.runtimeClassName.
	RuntimeClassName string
	// RuntimeClass is that class's scheduling.tolerations, which DecodePod does not set.
	RuntimeClass toleration.List
}

// DecodePod returns the fields of a pod from its JSON, such as the object of an admission
// request. path is the path of the pod in its object, such as "spec.template", or empty.
//
// QOS is the class in the status. Without one, as in a new pod, it is BestEffort if no
// request or limit of processor or memory is above zero, and otherwise Burstable.
//
// Repeated fields are errors; inside tolerations they and unknown ones are warnings.
// Fields that no rule uses are not checked.
func DecodePod(data []byte, path string) (pod PodSpec, warnings validate.Problems, err error) {
	var d podDecoder
	pod = d.pod(data)
	warnings = problem.Append(nil, path, d.warnings)
	if len(d.problems) > 0 {
		return PodSpec{}, warnings, problem.Append(nil, path, d.problems)
	}
	return pod, warnings, nil
}

type podDecoder struct {
	problems validate.Problems
	warnings validate.Problems
}

// The fields that are read, in the order in which object returns them.
var (
	podFields       = []string{"spec", "status"}
	specFields      = []string{"tolerations", "containers", "initContainers", "resources", "runtimeClassName"}
	statusFields    = []string{"qosClass"}
	containerFields = []string{"resources"}
	resourceFields  = []string{"requests", "limits"}
)

func (d *podDecoder) pod(data []byte) (pod PodSpec) {
	top := d.object("", data, podFields)
	spec := d.field("spec", top[0], specFields)
	status := d.field("status", top[1], statusFields)

	list, warnings, err := toleration.Decode([]byte(spec[0].Raw()), toleration.DecodeOptions{Path: tolerationsPath})
	d.add("", err)
	pod.Tolerations, d.warnings = list, warnings

	compute := d.containers(&pod.Resources, "spec.containers", spec[1])
	compute = d.containers(&pod.Resources, "spec.initContainers", spec[2]) || compute
	slices.Sort(pod.Resources)
	pod.Resources = slices.Compact(pod.Resources)
	if spec[3].Kind != apijson.Absent {
		var names []string // ignored: containers request devices
		if whole := d.resources(&names, "spec.resources", spec[3]); slices.ContainsFunc(names, podLevel) {
			compute = whole
		}
	}
	pod.RuntimeClassName, d.problems = spec[4].AsString("spec.runtimeClassName", d.problems)
	pod.RuntimeClassName = strings.Clone(pod.RuntimeClassName) // so that it does not hold the whole spec

	pod.QOS, d.problems = status[0].AsString(qosPath, d.problems, qosNames...)
	d.add("", checkQOS(pod.QOS))
	switch {
	case pod.QOS != "":
		pod.QOS = strings.Clone(pod.QOS)
	case compute:
		pod.QOS = Burstable
	default:
		pod.QOS = BestEffort
	}
	return pod
}

func (d *podDecoder) add(path string, err error) {
	d.problems = problem.Append(d.problems, path, err)
}

// object returns the fields of an object with these names.
func (d *podDecoder) object(path string, data []byte, names []string) []apijson.Field {
	fields := make([]apijson.Field, len(names))
	scan, err := apijson.NewScanner(data)
	d.add(path, err)
	if err == nil {
		d.members(path, &scan, names, fields)
	}
	return fields
}

// members reads the next value, an object, into fields. A repeated name is one
// problem, however often it is repeated.
func (d *podDecoder) members(path string, scan *apijson.Scanner, names []string, fields []apijson.Field) {
	clear(fields)
	if !scan.Enter('{') {
		d.add(path, scan.Value().WrongType("", "must be an object"))
		return
	}
	var seen, repeated uint8
	for scan.More() {
		name, value := scan.Name(), scan.Value()
		i := slices.Index(names, name)
		if i < 0 {
			continue
		}
		switch bit := uint8(1) << i; {
		case seen&bit == 0:
			seen |= bit
			fields[i] = value
		case repeated&bit == 0:
			repeated |= bit
			d.repeated(path, name, value)
		}
	}
}

func (d *podDecoder) repeated(path, name string, value apijson.Field) {
	d.add(path, &validate.Problem{Path: name, Value: value.Raw(), Rule: validate.FieldRepeated})
}

// field is object for a field, which may be absent.
func (d *podDecoder) field(path string, f apijson.Field, names []string) []apijson.Field {
	if f.Kind == apijson.Absent {
		return make([]apijson.Field, len(names))
	}
	return d.object(path, []byte(f.Raw()), names)
}

// containers appends the names of the resources that the containers request or
// limit, and reports whether these include processor or memory above zero.
func (d *podDecoder) containers(names *[]string, path string, f apijson.Field) (compute bool) {
	scan, err := apijson.OpenList([]byte(f.Raw()), path)
	d.add("", err)
	var fields [1]apijson.Field
	for i := 0; err == nil && len(d.problems) < problem.Most && scan.More(); i++ {
		at := problem.Index(path, i)
		d.members(at, &scan, containerFields, fields[:])
		compute = d.resources(names, at+".resources", fields[0]) || compute
	}
	return compute
}

// resources is containers for one container.
func (d *podDecoder) resources(names *[]string, path string, f apijson.Field) (compute bool) {
	parts := d.field(path, f, resourceFields)
	compute = d.quantities(names, path+".requests", parts[0])
	return d.quantities(names, path+".limits", parts[1]) || compute
}

func (d *podDecoder) quantities(names *[]string, path string, f apijson.Field) (compute bool) {
	if f.Kind == apijson.Absent {
		return false
	}
	scan, err := apijson.NewScanner([]byte(f.Raw()))
	if err != nil || !scan.Enter('{') {
		d.add(path, f.WrongType("", "must be an object"))
		return false
	}
	amounts := [...]struct {
		name    string
		nonzero bool
		times   int
	}{{name: "cpu"}, {name: "memory"}}
	for scan.More() {
		name := scan.Name()
		quantity := scan.Value()
		for i := range amounts { // of other resources only the name is read
			a := &amounts[i]
			if a.name != name {
				continue
			}
			a.nonzero = nonzero(quantity.Text)
			if a.times++; a.times == 2 {
				d.repeated(path, name, quantity)
			}
		}
		*names = append(*names, name)
	}
	return amounts[0].nonzero || amounts[1].nonzero
}

// podLevel reports whether a pod itself can have the resource.
func podLevel(name string) bool {
	return name == "cpu" || name == "memory" || strings.HasPrefix(name, "hugepages-")
}

// nonzero reports whether a quantity, such as 100m, 0.5 or 2Gi, is not zero: its
// leading number has a digit other than 0.
func nonzero(quantity string) bool {
	for _, c := range strings.TrimLeft(quantity, "+-") {
		switch {
		case '1' <= c && c <= '9':
			return true
		case c != '0' && c != '.':
			return false
		}
	}
	return false
}
