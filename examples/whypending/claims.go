package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
	"github.com/go-tolerate/tolerate/match/device"
)

var noTime time.Time

// A claimJSON is which devices the claim of a pod can get, as to their taints. It and
// the types below are part of the output for programs.
type claimJSON struct {
	Name           string        `json:"name"`             // in the pod
	Object         string        `json:"object,omitempty"` // such as ResourceClaim ml/train-0
	Allocated      bool          `json:"allocated,omitempty"`
	Devices        []string      `json:"devices,omitempty"` // that are allocated
	MoreDevices    int           `json:"moreDevices,omitempty"`
	Requests       []requestJSON `json:"requests,omitempty"`
	MoreRequests   int           `json:"moreRequests,omitempty"`
	UnknownBecause string        `json:"unknownBecause,omitempty"`
}

type requestJSON struct {
	Name        string       `json:"name"`
	Class       string       `json:"class,omitempty"`
	All         bool         `json:"all,omitempty"`
	Drivers     []driverJSON `json:"drivers"`
	MoreDrivers int          `json:"moreDrivers,omitempty"`
}

type driverJSON struct {
	Driver      string             `json:"driver"`
	Pool        string             `json:"pool,omitempty"` // if there is one
	Pools       int                `json:"pools"`
	Devices     int                `json:"devices"`
	Allocatable int                `json:"allocatable"`
	Tainted     int                `json:"tainted"`
	Unknown     int                `json:"unknown,omitempty"`
	Reasons     []deviceReasonJSON `json:"reasons,omitempty"`
	MoreReasons int                `json:"moreReasons,omitempty"`
}

type deviceReasonJSON struct {
	Taint   string `json:"taint"`
	Rule    string `json:"rule,omitempty"`
	Devices int    `json:"devices"`
	Add     string `json:"add,omitempty"`
}

// claims returns the claims of a pod that waits, and how many more there are than may be
// shown.
func (r *report) claims(p *pod) (claims []claimJSON, more int) {
	if !p.waits() || p.because != "" {
		return nil, 0
	}
	for i, ref := range p.Claims {
		if most := r.opts.reasons; most > 0 && i == most {
			return claims, len(p.Claims) - i
		}
		claims = append(claims, r.claim(p, ref))
	}
	return claims, 0
}

func (r *report) claim(p *pod, ref kubejson.PodClaim) claimJSON {
	c := claimJSON{Name: ref.Name}
	found := r.find(p, ref, &c)
	switch {
	case found == nil:
	case found.because != "":
		c.UnknownBecause = found.because
	case found.value.Allocated:
		c.Allocated = true
		devices := found.value.Devices
		if most := r.opts.reasons; most > 0 && len(devices) > most {
			devices, c.MoreDevices = devices[:most], len(devices)-most
		}
		for _, id := range devices {
			c.Devices = append(c.Devices, id.String())
		}
	case r.devices.because != "":
		c.UnknownBecause = r.devices.because
	case len(r.devices.slices.all) == 0:
		c.UnknownBecause = "no ResourceSlice is in the input"
	default:
		d := r.requests(found)
		c.Requests, c.MoreRequests = d.requests, d.more
	}
	return c
}

// find returns the object of a claim, or nil, and sets its name.
func (r *report) find(p *pod, ref kubejson.PodClaim, c *claimJSON) *object[kubejson.Claim] {
	kind, name, all := "ResourceClaim", ref.Claim, &r.devices.claims
	if name == "" {
		kind, name, all = "ResourceClaimTemplate", ref.Template, &r.devices.templates
	}
	if name == "" {
		c.UnknownBecause = "it names no object"
		return nil
	}
	if p.Namespace != "" {
		name = p.Namespace + "/" + name
	}
	c.Object = kind + " " + name
	found := all.byName[name]
	if found == nil {
		c.UnknownBecause = "it is not in the input"
	}
	return found
}

// A claimDecision is the requests of a claim as far as they are shown.
type claimDecision struct {
	requests []requestJSON
	more     int
}

// requests decides about the requests of a claim, once. Of drivers and reasons together,
// as many are shown as were requested.
func (r *report) requests(claim *object[kubejson.Claim]) claimDecision {
	if d, ok := r.devices.decided[claim]; ok {
		return d
	}
	var d claimDecision
	room := r.opts.reasons
	if room == 0 {
		room = mostWritten
	}
	room = min(room, mostWritten+1-r.devices.written) // where it ends, newReport fails
	all := claim.value.Requests
	for i, q := range all {
		if room <= 0 {
			d.more = len(all) - i
			break
		}
		out := requestJSON{Name: q.Name, Class: q.Class, All: q.All, Drivers: r.decideDevices(q.Tolerations, &room)}
		out.MoreDrivers = len(r.devices.drivers) - len(out.Drivers)
		d.requests = append(d.requests, out)
	}
	r.devices.written += lines([]claimJSON{{Requests: d.requests}})
	if r.devices.decided == nil {
		r.devices.decided = make(map[*object[kubejson.Claim]]claimDecision)
	}
	r.devices.decided[claim] = d
	return d
}

// decideDevices decides about the devices of each driver, and takes what is shown from
// the room.
func (r *report) decideDevices(tolerations device.Tolerations, room *int) []driverJSON {
	d := &r.devices
	tolerated := make([]bool, len(d.taints))
	for i, t := range d.taints {
		tolerated[i] = tolerations.Match(t.taint) >= 0
	}
	drivers := make([]driverJSON, 0, min(len(d.drivers), max(*room, 1)))
	counts := make([]int, len(d.taints))
	for i, dr := range d.drivers {
		if i > 0 && *room <= 0 {
			break
		}
		*room--
		out, found := dr.decide(tolerated, counts)
		reasons := r.deviceReasons(found, counts, dr.devices)
		shown := max(min(len(reasons), *room), 0)
		*room -= shown
		out.Reasons, out.MoreReasons = reasons[:shown], len(reasons)-shown
		drivers = append(drivers, out)
	}
	return drivers
}

// decide decides about the devices of the driver. It counts those that have each
// untolerated taint, and returns these taints.
func (d *driver) decide(tolerated []bool, counts []int) (out driverJSON, found []int32) {
	out = driverJSON{Driver: d.name, Pools: len(d.pools), Devices: d.devices}
	if len(d.pools) == 1 {
		out.Pool = d.pools[0]
	}
	for _, c := range d.classes {
		tainted := false
		for _, t := range c.taints {
			if tolerated[t] {
				continue
			}
			if tainted = true; counts[t] == 0 {
				found = append(found, t)
			}
			counts[t] += c.devices
		}
		switch {
		case tainted:
			out.Tainted += c.devices
		case c.unsure:
			out.Unknown += c.devices
		default:
			out.Allocatable += c.devices
		}
	}
	return out, found
}

// deviceReasons returns the taints as reasons, the most frequent first, and sets their
// counts to 0. Without values, what reads the same is one.
func (r *report) deviceReasons(taints []int32, counts []int, devices int) (reasons []deviceReasonJSON) {
	type text struct{ taint, rule string }
	merged := make(map[text]int)
	for _, n := range taints {
		t := r.devices.taints[n]
		key := text{r.deviceTaint(t.taint), t.rule}
		i, ok := merged[key]
		if !ok {
			i = len(reasons)
			merged[key] = i
			add := device.Explain(t.taint, nil).Addition() // with any tolerations, it is the same
			reasons = append(reasons, deviceReasonJSON{Taint: key.taint, Rule: t.rule, Add: r.deviceToleration(add)})
		}
		reasons[i].Devices = min(reasons[i].Devices+counts[n], devices) // a device may have two that read the same
		counts[n] = 0
	}
	slices.SortStableFunc(reasons, func(a, b deviceReasonJSON) int { return b.Devices - a.Devices })
	return reasons
}

func (r *report) deviceTaint(t device.Taint) string {
	if r.opts.redact {
		return redactedText(t.String(), t.Value())
	}
	return t.String()
}

func (r *report) deviceToleration(u device.Toleration) string {
	if r.opts.redact {
		return redactedText(u.String(), u.Value())
	}
	return u.String()
}

// lines returns how many lines the claims take.
func lines(claims []claimJSON) (n int) {
	for _, c := range claims {
		n += 1 + len(c.Devices)
		for _, q := range c.Requests {
			n++
			for _, d := range q.Drivers {
				n += 1 + len(d.Reasons)
			}
		}
	}
	return n
}

// claimsText writes the claims of a pod.
func (t *textWriter) claimsText(p *pod) {
	claims, more := t.claims(p)
	for _, c := range claims {
		head := "claim " + name(c.Name)
		if c.Object != "" {
			head += " (" + kubejson.Printable(c.Object) + ")"
		}
		switch {
		case c.UnknownBecause != "":
			t.colored(t.warn, indent+head+" is unknown: "+c.UnknownBecause)
		case c.Allocated:
			text := listed(c.Devices, kubejson.Printable)
			if text == "" {
				text = "no device"
			}
			if c.MoreDevices > 0 {
				text += " and " + count(c.MoreDevices, "more device")
			}
			t.WriteString(indent + head + " is allocated: " + text + "\n")
		default:
			t.WriteString(indent + head + "\n")
			t.requestsText(&c)
		}
	}
	t.more(more, "more claim")
}

func (t *textWriter) more(n int, noun string) {
	if n > 0 {
		fmt.Fprintf(t, "%sand %s (-reasons 0 shows all)\n", indent, count(n, noun))
	}
}

func (t *textWriter) requestsText(c *claimJSON) {
	for _, q := range c.Requests {
		head := "request " + name(q.Name)
		if q.Class != "" {
			head += " (class " + kubejson.Printable(q.Class) + ")"
		}
		if q.All {
			head += ", for all devices"
		}
		if len(q.Drivers) == 0 {
			t.colored(t.bad, indent+head+": there are no devices")
		}
		for _, d := range q.Drivers {
			t.driverText(head, d)
		}
		t.more(q.MoreDrivers, "more driver")
	}
	t.more(c.MoreRequests, "more request")
}

func (t *textWriter) driverText(head string, d driverJSON) {
	of := d.Driver + "/" + d.Pool
	if d.Pools != 1 {
		of = fmt.Sprintf("%s in %d pools", d.Driver, d.Pools)
	}
	line := fmt.Sprintf("%s%s: %d of %s of %s allocatable", indent, head, d.Allocatable, count(d.Devices, "device"), kubejson.Printable(of))
	if d.Unknown > 0 {
		line += fmt.Sprintf(", %d unknown", d.Unknown)
	}
	color := ""
	if d.Allocatable == 0 {
		color = t.bad
	}
	t.colored(color, line)
	for _, r := range d.Reasons {
		text := "untolerated " + r.Taint
		if r.Rule != "" {
			text += " of DeviceTaintRule " + kubejson.Printable(r.Rule)
		}
		if d.Allocatable == 0 && r.Add != "" {
			text += `; to add: "` + r.Add + `"`
		}
		fmt.Fprintf(t, "%s%-10s  %d of %s: %s\n", indent, "tainted", r.Devices, count(d.Devices, "device"), text)
	}
	t.more(d.MoreReasons, "more taint")
}

// unknownDevices lists the slices and rules that are unknown.
func (r *report) unknownDevices() (all []unknownNodeJSON) {
	for _, o := range r.devices.slices.unknown() {
		all = append(all, unknownNodeJSON{"ResourceSlice " + o.name, o.because})
	}
	for _, o := range r.devices.rules.unknown() {
		all = append(all, unknownNodeJSON{"DeviceTaintRule " + o.name, o.because})
	}
	return all
}

// hasClaims reports whether the text has claims of some pod.
func (r *report) hasClaims() bool {
	byNode := r.opts.node != "" && r.opts.pod == ""
	return !byNode && slices.ContainsFunc(r.shown, func(p *pod) bool {
		claims, _ := r.claims(p)
		return len(claims) > 0
	})
}

// checkClaims refuses what would take too long.
func (r *report) checkClaims() error {
	seen, work := make(map[*object[kubejson.Claim]]bool), int64(0)
	for _, p := range r.shown {
		if !p.waits() {
			continue
		}
		for _, ref := range p.Claims {
			found := r.find(p, ref, new(claimJSON))
			if found == nil || seen[found] {
				continue
			}
			seen[found] = true
			for _, q := range found.value.Requests {
				work += r.devices.work(len(q.Tolerations))
			}
		}
	}
	if work > mostWork {
		return fmt.Errorf("%d claims and %d different taints of devices are too many to compare; choose a -pod", len(seen), len(r.devices.taints))
	}
	return nil
}
