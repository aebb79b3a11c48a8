package admission

import (
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
	"github.com/go-tolerate/tolerate/validate/apijson"
)

// A Pod is what the rules look at in a pod. A zero field says nothing, and
// adds nothing.
type Pod struct {
	// Tolerations are those that the pod has: its spec.tolerations.
	Tolerations []toleration.Toleration
	// QOS is the pod's quality of service.
	QOS QOS
	// Resources are the names of the resources that the containers and init
	// containers request, in any order, extended ones and others. A limit is
	// a request too where the API server has not made one of it yet.
	Resources []string
	// RuntimeClassName is the pod's spec.runtimeClassName, by which the caller
	// finds RuntimeClass. No rule looks at it.
	RuntimeClassName string
	// RuntimeClass holds the tolerations under scheduling of the pod's runtime
	// class. toleration.DecodeList reads them.
	RuntimeClass []toleration.Toleration
}

// DecodePod returns what the rules look at in a pod, from the API's JSON of it,
// such as the object of an admission request; all but RuntimeClass, which is
// another object.
//
// QOS is the class under status. Where there is none, as in a pod that is being
// created, it is BestEffort when the pod's resources, or if it has none of its
// own those of its containers and init containers, hold no request and no limit
// of processor or memory above zero; else it is Burstable, though the pod may
// be Guaranteed, which no rule here tells apart.
//
// Resources are sorted, each once. A container's limits are among them: where
// it has no request beside, the API server makes one of the limit, so the
// objects of admission requests have it already, and manifests, which often
// limit a device and no more, have not.
//
// The options are those of the tolerations; the path is that of the pod in its
// object, such as "spec.template", and empty for a pod itself. Fields that no
// rule looks at are not checked. The error tells all problems, and comes with
// the zero Pod.
func DecodePod(data []byte, opts toleration.ListOptions) (Pod, error) {
	d := podDecoder{opts: opts}
	pod := d.pod(data)
	if len(d.problems) > 0 {
		return Pod{}, validate.Append(nil, opts.Path, d.problems)
	}
	return pod, nil
}

type podDecoder struct {
	opts     toleration.ListOptions
	problems validate.Problems
}

// The fields that are read, and where they stand in what object returns.
var (
	podFields       = []string{"spec", "status"}
	specFields      = []string{"tolerations", "containers", "initContainers", "resources", "runtimeClassName"}
	statusFields    = []string{"qosClass"}
	containerFields = []string{"resources"}
	resourceFields  = []string{"requests", "limits"}
)

func (d *podDecoder) pod(data []byte) (pod Pod) {
	top := d.object("", data, podFields)
	spec := d.field("spec", top[0], specFields)
	status := d.field("status", top[1], statusFields)

	d.opts.Path = tolerationsPath
	list, err := toleration.DecodeList([]byte(spec[0].Raw()), d.opts)
	d.add("", err)
	pod.Tolerations = list

	compute := d.containers(&pod.Resources, "spec.containers", spec[1])
	compute = d.containers(&pod.Resources, "spec.initContainers", spec[2]) || compute
	slices.Sort(pod.Resources)
	pod.Resources = slices.Compact(pod.Resources)
	if spec[3].Kind != apijson.Absent {
		var none []string // devices are asked for by containers
		compute = d.resources(&none, "spec.resources", spec[3])
	}
	pod.RuntimeClassName, d.problems = spec[4].AsString("spec.runtimeClassName", d.problems)
	pod.RuntimeClassName = strings.Clone(pod.RuntimeClassName) // and not hold all of the spec

	var class string
	class, d.problems = status[0].AsString("status.qosClass", d.problems, qosNames...)
	switch {
	case class != "":
		pod.QOS, err = ParseQOS(class)
		d.add("status.qosClass", err)
	case compute:
		pod.QOS = Burstable
	default:
		pod.QOS = BestEffort
	}
	return pod
}

func (d *podDecoder) add(path string, err error) {
	d.problems = validate.Append(d.problems, path, err)
}

// object returns what stands under each of the names in an object. Of repeated
// names the last counts.
func (d *podDecoder) object(path string, data []byte, names []string) []apijson.Field {
	fields := make([]apijson.Field, len(names))
	scan, err := apijson.NewScanner(data)
	if err == nil {
		err = scan.Object(names, fields, false, nil).Err()
	}
	d.add(path, err)
	return fields
}

// field is object for a field, which may be absent.
func (d *podDecoder) field(path string, f apijson.Field, names []string) []apijson.Field {
	if f.Kind == apijson.Absent {
		return make([]apijson.Field, len(names))
	}
	return d.object(path, []byte(f.Raw()), names)
}

// containers adds the names of what the containers request or limit, and reports
// whether they ask for processor or memory.
func (d *podDecoder) containers(names *[]string, path string, f apijson.Field) (compute bool) {
	scan, err := apijson.OpenList([]byte(f.Raw()), path)
	d.add("", err)
	var fields [1]apijson.Field
	for i := 0; err == nil && scan.More(); i++ {
		at := validate.Index(path, i)
		d.add(at, scan.Object(containerFields, fields[:], false, nil))
		compute = d.resources(names, at+".resources", fields[0]) || compute
	}
	return compute
}

// resources is containers for one of them.
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
		d.add(path, &validate.Problem{Value: f.Raw(), Rule: validate.NotObject})
		return false
	}
	var processor, memory bool
	for scan.More() {
		name := scan.Name()
		quantity := scan.Value()
		switch name {
		case "cpu":
			processor = positive(quantity.Text)
		case "memory":
			memory = positive(quantity.Text)
		}
		*names = append(*names, name)
	}
	return processor || memory
}

// positive reports whether a quantity, such as 100m, 0.5 or 2Gi, is above zero:
// whether its number, in front, has another digit than 0 and no minus sign.
func positive(quantity string) bool {
	for _, c := range strings.TrimPrefix(quantity, "+") {
		switch {
		case '1' <= c && c <= '9':
			return true
		case c != '0' && c != '.':
			return false
		}
	}
	return false
}

// An Operation is one step of a JSON patch (RFC 6902), to be written as JSON.
type Operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// Patch returns the JSON patch that adds tolerations to a pod that has these:
// one operation that makes the list where the pod has none, else one for each,
// which puts it at the end. It touches nothing that is there, and is nil when
// there is nothing to add.
//
// A patch is for the object that it was made for: where the pod had no
// tolerations, applying it to one that has some would replace them. A webhook's
// answer is applied to the very object of the request.
//
// The operations share the memory of added.
func Patch(pod, added []toleration.Toleration) []Operation {
	const path = "/spec/tolerations"
	switch {
	case len(added) == 0:
		return nil
	case len(pod) == 0:
		return []Operation{{"add", path, added}}
	}
	operations := make([]Operation, len(added))
	for i, u := range added {
		operations[i] = Operation{"add", path + "/-", u}
	}
	return operations
}
