// Package claimed says which pods of an answer claim devices, at which no answer looks.
package claimed

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Kind is that of the objects which say what extended resources are devices.
const Kind = "DeviceClass"

// implicitly begins the name of an extended resource that a device class backs without naming it.
const implicitly = "deviceclass.resource.kubernetes.io/"

// instead ends a caveat.
const instead = "kubectl whatif-devices looks at them, in a dump with resourceclaims,resourceslices,deviceclasses"

// most is how many names a sentence has.
const most = 5

// Backing are device classes by the extended resource that they back.
type Backing map[resource.Name]string

// Add reads a DeviceClass. The error is an [outrank.InputError].
func (b Backing) Add(text []byte) error {
	var class struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Spec struct {
			ExtendedResourceName string `json:"extendedResourceName"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(text, &class); err != nil {
		return &outrank.InputError{Problems: []outrank.Problem{{Object: "deviceclass " + class.Metadata.Name, Field: "spec.extendedResourceName", Text: err.Error()}}}
	}
	if name := class.Spec.ExtendedResourceName; name != "" {
		b[resource.Name(name)] = class.Metadata.Name
	}
	return nil
}

// Concerns reports whether a pod claims devices or requests some.
func (b Backing) Concerns(p *outrank.Pod) bool {
	requests := func(l resource.List) bool {
		for name := range l {
			if _, is := b[name]; is || strings.HasPrefix(string(name), implicitly) {
				return true
			}
		}
		return false
	}
	of := func(c outrank.Container) bool { return requests(c.Requests) }
	return len(p.ResourceClaims) > 0 || slices.ContainsFunc(p.Containers, of) || slices.ContainsFunc(p.InitContainers, of) ||
		p.Resources != nil && requests(p.Resources.Requests)
}

// behind returns the extended resources of a pod that device classes back, each with its class.
func (b Backing) behind(p *outrank.Pod) (out []string) {
	for _, name := range p.Requests().Names() {
		class, is := b[name]
		if !is {
			class, is = strings.CutPrefix(string(name), implicitly)
		}
		if is {
			out = append(out, fmt.Sprintf("%s, which device class %s backs", name, class))
		}
	}
	return out
}

// Pods are those of an answer that claim devices.
type Pods struct {
	backing Backing
	// asked is the pod in question, nil where it claims none or there is none.
	asked *outrank.Pod
	// claim have resource claims, and request devices as extended resources; a pod may do both.
	// The pod in question is not among them.
	claim, request []*outrank.Pod
}

// Find finds them among the pod in question, nil for none, and others.
func Find(b Backing, asked *outrank.Pod, others []*outrank.Pod) *Pods {
	out := &Pods{backing: b}
	if asked != nil && b.Concerns(asked) {
		out.asked = asked
	}
	for _, p := range others {
		if len(p.ResourceClaims) > 0 {
			out.claim = append(out.claim, p)
		}
		if len(b.behind(p)) > 0 {
			out.request = append(out.request, p)
		}
	}
	return out
}

// Hidden reports whether an answer hangs on devices: one by which every pod finds room, and any
// where devices are requested as extended resources.
func (d *Pods) Hidden(room bool) bool {
	request := len(d.request) > 0 || d.asked != nil && len(d.backing.behind(d.asked)) > 0
	return request || room && (d.asked != nil || len(d.claim) > 0)
}

// Caveats say which devices are not looked at: sentences about the pod in question, and one about
// all others together.
func (d *Pods) Caveats() (out []outrank.Problem) {
	if p := d.asked; p != nil && len(p.ResourceClaims) > 0 {
		out = append(out, outrank.Problem{Object: "pod " + string(p.Key()), Field: "spec.resourceClaims",
			Text: fmt.Sprintf("the devices that it claims (%s) are not looked at, and this is the answer if every node had them free; %s", claims(p), instead)})
	}
	if p := d.asked; p != nil && len(d.backing.behind(p)) > 0 {
		out = append(out, outrank.Problem{Object: "pod " + string(p.Key()), Field: "spec.containers.resources.requests",
			Text: fmt.Sprintf("the devices behind %s, are not looked at, and a node that does not offer the resource itself counts as one without; %s", d.behind(p), instead)})
	}
	if n := len(d.claim); n > 0 {
		out = append(out, outrank.Problem{Object: "devices", Text: fmt.Sprintf("%s: where %s or %s recreated, %s as if every node had the devices free (%s); %s",
			count(n, "claims"), is(n, "it waits", "they wait"), is(n, "is", "are"), is(n, "it counts", "they count"), named(d.claim, claims), instead)})
	}
	if n := len(d.request); n > 0 {
		out = append(out, outrank.Problem{Object: "devices", Text: fmt.Sprintf("%s: where %s or %s recreated, a node that does not offer the resource itself counts as one without (%s); %s",
			count(n, "requests"), is(n, "it waits", "they wait"), is(n, "is", "are"), named(d.request, d.behind), instead)})
	}
	return out
}

func count(n int, does string) string {
	if n == 1 {
		return "1 pod " + does + " some, which are not looked at"
	}
	return fmt.Sprintf("%d pods %s some, which are not looked at", n, strings.TrimSuffix(does, "s"))
}

func is(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

func claims(p *outrank.Pod) string { return some(p.ResourceClaims, ", ") }

func (d *Pods) behind(p *outrank.Pod) string { return some(d.backing.behind(p), ", ") }

// named has the first few pods, those that wait before all, each with what it claims.
func named(list []*outrank.Pod, claims func(*outrank.Pod) string) string {
	waiting := slices.Clone(list)
	slices.SortStableFunc(waiting, func(a, b *outrank.Pod) int { return strings.Compare(placed(a), placed(b)) })
	var names []string
	for _, p := range waiting[:min(len(waiting), most+1)] {
		names = append(names, string(p.Key())+": "+claims(p))
	}
	if len(list) > most {
		return fmt.Sprintf("%s; and %d more", strings.Join(names[:most], "; "), len(list)-most)
	}
	return strings.Join(names, "; ")
}

// placed sorts pods that wait before all others.
func placed(p *outrank.Pod) string {
	if p.NodeName == "" {
		return ""
	}
	return "on a node"
}

func some(names []string, between string) string {
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], between), more)
	}
	return strings.Join(names, between)
}
