package main

import (
	"encoding/json"
	"errors"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
	"github.com/go-tolerate/tolerate/match/device"
)

// The devices of a cluster: what is read of them.
type devices struct {
	slices    objects[kubejson.Slice]
	rules     objects[device.Rule]
	claims    objects[kubejson.Claim]
	templates objects[kubejson.Claim]

	// unsure reports that there are slices or rules of a version that is not read, so
	// devices may have other taints.
	unsure bool

	drivers []*driver // in the order of their names
	taints  []deviceTaint
	size    int64  // of all classes
	because string // why no device is known

	decided map[*object[kubejson.Claim]]claimDecision
	written int // lines of these
}

// Objects are those of one kind, each once.
type objects[T any] struct {
	all    []*object[T]
	byName map[string]*object[T]
}

type object[T any] struct {
	name    string
	because string // why it is unknown; empty when it is known
	value   T
	sum     uint64
}

var seed = maphash.MakeSeed()

// add adds what was read of an object, unless it is there already.
func (l *objects[T]) add(r *loader, o *kubejson.Object, value T, err error) {
	text, _ := json.Marshal(value) // fails for no value that was read
	added := &object[T]{name: o.FullName(), because: r.because(o, err), value: value, sum: maphash.Bytes(seed, text)}
	if o.Name == "" {
		added.name = r.position(o)
	}
	earlier := l.byName[added.name]
	switch {
	case earlier == nil:
		if l.byName == nil {
			l.byName = make(map[string]*object[T])
		}
		l.byName[added.name] = added
		l.all = append(l.all, added)
	case earlier.sum != added.sum || earlier.because != added.because:
		earlier.because = "it is given more than once, with different contents"
		r.problems = append(r.problems, o.Problems(errors.New(earlier.because))...)
	}
}

// unknown returns the objects that are unknown.
func (l *objects[T]) unknown() (all []*object[T]) {
	for _, o := range l.all {
		if o.because != "" {
			all = append(all, o)
		}
	}
	return all
}

// device reads an object of the group resource.k8s.io, and returns false for another
// one.
func (l *loader) device(o *kubejson.Object) bool {
	switch {
	case o.IsResource("ResourceSlice"):
		s, err := o.Slice()
		l.warn(o, s.Ignored)
		s.Ignored = nil
		l.devices.slices.add(l, o, s, err)
	case o.IsResource("DeviceTaintRule"):
		r, err := o.Rule()
		l.devices.rules.add(l, o, r, err)
	case o.IsResource("ResourceClaim"):
		c, err := o.Claim()
		l.warn(o, c.Ignored)
		c.Ignored = nil
		l.devices.claims.add(l, o, c, err)
	case o.IsResource("ResourceClaimTemplate"):
		c, err := o.ClaimTemplate()
		l.warn(o, c.Ignored)
		c.Ignored = nil
		l.devices.templates.add(l, o, c, err)
	default:
		if strings.HasPrefix(o.APIVersion, "resource.k8s.io/") && (o.Kind == "ResourceSlice" || o.Kind == "DeviceTaintRule") {
			l.devices.unsure = true
		}
		return false
	}
	return true
}

// A driver has devices in pools.
type driver struct {
	name    string
	pools   []string
	devices int
	classes []*deviceClass
}

// A deviceClass is the devices of a driver that are alike to every request.
type deviceClass struct {
	taints  []int32 // their numbers: those that prevent an allocation
	unsure  bool    // the devices may have other taints
	devices int
}

// A deviceTaint is a taint of devices: their own, or that of the rule.
type deviceTaint struct {
	taint device.Taint // without a time added
	rule  string
}

// mostDeviceTaints is the number of taints of all devices: rules can select all.
const mostDeviceTaints = 1 << 22

// A poolID is the driver and the name of a pool.
type poolID struct{ driver, pool string }

// classify sorts the devices into classes.
func (d *devices) classify() {
	rules, unsure := d.rulesBySelector()
	unsure = unsure || d.unsure
	newest := make(map[poolID]int64)
	doubtful := make(map[poolID]bool) // a slice of it is unknown
	for _, o := range d.slices.all {
		s, id := &o.value, poolID{o.value.Driver, o.value.Pool}
		newest[id] = max(newest[id], s.Generation)
		if o.because != "" {
			doubtful[id] = true
			unsure = unsure || s.Driver == "" || s.Pool == ""
		}
	}
	c := classifier{devices: d, rules: rules, drivers: make(map[string]*driver), numbers: make(map[deviceTaint]int32), classes: make(map[classKey]*deviceClass)}
	pools := make(map[poolID]bool)
	for _, o := range d.slices.all {
		s, id := &o.value, poolID{o.value.Driver, o.value.Pool}
		if o.because != "" || s.Generation != newest[id] {
			continue
		}
		dr := c.driver(s.Driver)
		if !pools[id] {
			pools[id] = true
			dr.pools = append(dr.pools, s.Pool)
		}
		for i := range s.Devices {
			if !c.add(dr, &s.Devices[i], unsure || doubtful[id]) {
				d.because = "the devices have too many taints"
				return
			}
		}
	}
	slices.SortFunc(d.drivers, func(a, b *driver) int { return strings.Compare(a.name, b.name) })
}

// rulesBySelector returns the rules that are known, and whether any is not.
func (d *devices) rulesBySelector() (by map[device.Selector][]deviceTaint, unsure bool) {
	by = make(map[device.Selector][]deviceTaint)
	for _, o := range d.rules.all {
		if o.because != "" {
			unsure = true
		} else if s := o.value.Selector; s != nil {
			by[*s] = append(by[*s], deviceTaint{o.value.Taint, o.name})
		}
	}
	return by, unsure
}

// A classKey is the same for the devices of one class alone.
type classKey struct {
	driver *driver
	unsure bool
	taints string
}

type classifier struct {
	*devices
	rules   map[device.Selector][]deviceTaint
	drivers map[string]*driver
	numbers map[deviceTaint]int32
	classes map[classKey]*deviceClass
	count   int
	key     []byte
	list    []int32
}

func (c *classifier) driver(name string) *driver {
	d := c.drivers[name]
	if d == nil {
		d = &driver{name: name}
		c.drivers[name] = d
		c.devices.drivers = append(c.devices.drivers, d)
	}
	return d
}

// add adds a device, and returns false if there are too many taints.
func (c *classifier) add(to *driver, d *device.Device, unsure bool) bool {
	c.list = c.list[:0]
	for _, t := range d.Taints {
		c.taint(deviceTaint{taint: t})
	}
	for i := range 8 { // a selector has each of the three fields or does not
		var s device.Selector
		if i&1 != 0 {
			s.Driver = d.ID.Driver
		}
		if i&2 != 0 {
			s.Pool = d.ID.Pool
		}
		if i&4 != 0 {
			s.Device = d.ID.Device
		}
		if c.count += len(c.rules[s]); c.count > mostDeviceTaints {
			return false
		}
		for _, t := range c.rules[s] {
			c.taint(t)
		}
	}
	slices.Sort(c.list)
	c.list = slices.Compact(c.list)
	c.key = c.key[:0]
	for _, n := range c.list {
		c.key = append(c.key, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	class := c.classes[classKey{to, unsure, string(c.key)}]
	if class == nil {
		class = &deviceClass{taints: slices.Clone(c.list), unsure: unsure}
		c.classes[classKey{to, unsure, string(c.key)}] = class
		to.classes = append(to.classes, class)
		c.size += int64(1 + len(class.taints))
	}
	class.devices++
	to.devices++
	return true
}

// taint adds a taint to the list, if it prevents an allocation.
func (c *classifier) taint(t deviceTaint) {
	if e := t.taint.Effect(); e != device.NoSchedule && e != device.NoExecute {
		return
	}
	t.taint, _ = t.taint.WithTimeAdded(noTime) // can be removed from every taint
	n, ok := c.numbers[t]
	if !ok {
		n = int32(len(c.taints)) // memory ends before int32 does
		c.numbers[t] = n
		c.taints = append(c.taints, t)
	}
	c.list = append(c.list, n)
}

// work returns how many taints are looked at for one list of tolerations.
func (d *devices) work(tolerations int) int64 {
	return int64(len(d.taints))*int64(1+tolerations) + d.size
}
