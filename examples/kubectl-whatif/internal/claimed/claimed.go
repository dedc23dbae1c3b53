// Package claimed answers which pods of an answer claim devices. The answers themselves do not look at devices.
package claimed

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Kind is the kind of the objects that say which extended resources are backed by devices.
const Kind = "DeviceClass"

// implicitly is the prefix of an extended resource that a device class backs without naming it.
const implicitly = "deviceclass.resource.kubernetes.io/"

// instead ends a caveat with the program that does look at devices.
const instead = "kubectl whatif-devices looks at them, in a dump with resourceclaims,resourceslices,deviceclasses"

// most is the most names in a sentence.
const most = 5

// Backing maps extended resources to the device classes that back them.
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

// Concerns reports whether a pod claims devices, or requests devices as extended resources.
func (b Backing) Concerns(p *outrank.Pod) bool {
	requests := func(l resource.List) bool {
		for name := range l {
			if _, is := b[name]; is || strings.HasPrefix(string(name), implicitly) {
				return true
			}
		}
		return false
	}

	container := func(c outrank.Container) bool { return requests(c.Requests) }
	return len(p.ResourceClaims) > 0 || slices.ContainsFunc(p.Containers, container) || slices.ContainsFunc(p.InitContainers, container) ||
		p.Resources != nil && requests(p.Resources.Requests)
}

// behind returns the pod's extended resources that are backed by device classes, each with its class.
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

// Pods has the pods of an answer that claim devices.
type Pods struct {
	backing Backing
	// asked is the pod in question. It is nil if the pod claims no devices or if there is none.
	asked *outrank.Pod
	// claim has the other pods with resource claims. request has the other pods that request devices as
	// extended resources. A pod may be in both.
	claim, request []*outrank.Pod
}

// Find finds the pods that claim devices among the pod in question, which may be nil, and others.
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

// Hidden reports whether an answer depends on devices. room says that every pod finds room according to the
// answer. A pod that claims devices may find less room than the answer says, but never more. A pod that
// requests them as extended resources may also find more, because nodes do not list these resources themselves.
func (d *Pods) Hidden(room bool) bool {
	request := len(d.request) > 0 || d.asked != nil && len(d.backing.behind(d.asked)) > 0
	return request || room && (d.asked != nil || len(d.claim) > 0)
}

// Caveats says which devices the answer ignores: one sentence about each kind for the pod in question, and one
// about all other pods together.
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

// count says how many pods claim or request devices.
func count(n int, does string) string {
	if n == 1 {
		return "1 pod " + does + " some, which are not looked at"
	}
	return fmt.Sprintf("%d pods %s some, which are not looked at", n, strings.TrimSuffix(does, "s"))
}

// is returns one if n is 1, and more otherwise.
func is(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// claims lists the claims of a pod.
func claims(p *outrank.Pod) string { return some(p.ResourceClaims, ", ") }

// behind lists the pod's extended resources that are backed by device classes.
func (d *Pods) behind(p *outrank.Pod) string { return some(d.backing.behind(p), ", ") }

// named lists the first few pods, waiting pods before all others, each with what it claims.
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

// placed returns a sort key that puts waiting pods before all others.
func placed(p *outrank.Pod) string {
	if p.NodeName == "" {
		return ""
	}
	return "on a node"
}

// some lists the first few names, and says how many more there are.
func some(names []string, between string) string {
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], between), more)
	}
	return strings.Join(names, between)
}
