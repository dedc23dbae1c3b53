package priority

import (
	"errors"
	"fmt"

	"github.com/outrank-go/outrank"
)

// ErrUnknownClass is wrapped by errors about a class that is not in the table.
var ErrUnknownClass = errors.New("unknown priority class")

// ErrConflict is wrapped by errors about a pod or a group whose priority or
// policy differs from its class.
var ErrConflict = errors.New("conflict with the priority class")

// Resolution is what a pod or a group gets from its class when it is created.
type Resolution struct {
	// Class is the name of the class. It is empty if the pod names none and
	// there is no global default.
	Class string
	// Value is the priority, 0 if there is no class.
	Value int32
	// Policy is PreemptLowerPriority or Never. It is empty for a group whose policy does
	// not come from its class (rule 4.4.2).
	Policy outrank.PreemptionPolicy
}

// Resolve determines the priority of a new pod (group 4.2; the Priority
// admission plugin's admitPod). The pod is not changed; see [Resolution.Apply].
//
//  1. A pod that names a class gets that class's value and policy. It is
//     refused with [ErrUnknownClass] if the class does not exist.
//  2. A pod that names none gets the name, value and policy of the global
//     default. Without a default it gets 0, PreemptLowerPriority and no name.
//  3. A pod that already has a priority or a policy is refused with [ErrConflict]
//     if the value differs from the one of step 1 or 2.
//
// An error names the pod and every field that is wrong. Time is constant.
func (t *Table) Resolve(pod *outrank.Pod) (Resolution, error) {
	if pod == nil {
		return Resolution{}, missing("pod")
	}
	return t.resolve(claim{"pod " + string(pod.Key()), "pod", pod.PriorityClassName, pod.Priority, pod.PreemptionPolicy})
}

// claim is what a new pod or group says about its priority.
type claim struct {
	// object names the pod or group in problems; noun is "pod" or "group".
	object, noun string
	// class is the name of the class, empty for none. priority and policy are what the object
	// already has before it is resolved, nil and empty for nothing.
	class    string
	priority *int32
	policy   outrank.PreemptionPolicy
}

// resolve resolves a claim (rules 4.2.1 to 4.2.5).
func (t *Table) resolve(c claim) (Resolution, error) {
	class, ok := t.classOf(c.class)
	if !ok {
		return Resolution{}, refuse(ErrUnknownClass, []outrank.Problem{{
			Object: c.object, Field: "spec.priorityClassName", Text: "there is no class " + quote(c.class)}})
	}
	r := Resolution{Class: class.Name, Value: class.Value, Policy: class.PreemptionPolicy}
	if err := refuse(ErrConflict, r.conflicts(&c)); err != nil {
		return Resolution{}, err
	}
	return r, nil
}

// classOf returns the class of this name, or the default for an empty name. Where
// there is no default, a class without a name and with the value 0 stands for it
// (rule 4.2.3).
func (t *Table) classOf(name string) (outrank.PriorityClass, bool) {
	if name != "" {
		return t.Lookup(name)
	}
	if class, ok := t.Default(); ok {
		return class, true
	}
	return outrank.PriorityClass{PreemptionPolicy: outrank.PreemptLowerPriority}, true
}

// conflicts lists the fields in which a claim differs from its class.
func (r Resolution) conflicts(c *claim) (ps []outrank.Problem) {
	if c.priority != nil && *c.priority != r.Value {
		ps = append(ps, outrank.Problem{Object: c.object, Field: "spec.priority",
			Text: fmt.Sprintf("is %d, but %s", *c.priority, r.gives(c.noun, r.Value))})
	}
	if c.policy != "" && c.policy != r.Policy {
		ps = append(ps, outrank.Problem{Object: c.object, Field: "spec.preemptionPolicy",
			Text: fmt.Sprintf("is %s, but %s", quote(string(c.policy)), r.gives(c.noun, r.Policy))})
	}
	return ps
}

// gives says what an object of this kind gets from the class, as part of a message.
func (r Resolution) gives(noun string, what any) string {
	if r.Class == "" {
		return fmt.Sprintf("a %s without a class gets %v", noun, what)
	}
	return fmt.Sprintf("class %s gives %v", r.Class, what)
}

// Apply returns a copy of the pod with its class, priority and policy set. The
// copy is shallow: it shares everything that pod points to, except for the
// priority.
func (r Resolution) Apply(pod outrank.Pod) outrank.Pod {
	pod.PriorityClassName = r.Class
	pod.Priority = outrank.Priority(r.Value)
	pod.PreemptionPolicy = r.Policy
	return pod
}
