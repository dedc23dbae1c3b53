package priority

import (
	"errors"
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
)

// UserMax is the highest value of a class that is not built in. The lowest value is
// the lowest int32.
const UserMax int32 = 1_000_000_000

// SystemCritical is the least priority at which a pod counts as critical.
const SystemCritical int32 = 2_000_000_000

// The built-in classes. They exist in every cluster with exactly these values, and
// neither is ever the global default.
const (
	clusterCriticalName = "system-cluster-critical"
	nodeCriticalName    = "system-node-critical"

	ClusterCritical int32 = SystemCritical
	NodeCritical    int32 = SystemCritical + 1000
)

// reservedPrefix is the prefix of the names that only built-in classes may have.
const reservedPrefix = "system-"

// ErrClass is wrapped by every error about a class that the API server would
// not create or delete.
var ErrClass = errors.New("invalid priority class")

// Validate lists every problem of a single class at once, or returns nil (rules
// 4.1.2 to 4.1.5; ValidatePriorityClass):
//
//   - the name must be a DNS subdomain, and may begin with "system-" only for a
//     built-in class, which must have its own value and not be the global
//     default;
//   - the value of any other class is at most [UserMax];
//   - the policy must be empty, PreemptLowerPriority or Never.
//
// The error wraps [ErrClass].
func Validate(class *outrank.PriorityClass) error {
	return refuse(ErrClass, problems(class, alone))
}

// alone is the index of a class that is not in a list.
const alone = -1

// problems lists what is wrong with a class. If it has no name, messages name it by
// index, its place in its list.
func problems(class *outrank.PriorityClass, index int) []outrank.Problem {
	object := subject(class, index)
	if class == nil {
		return []outrank.Problem{{Object: object, Text: "is nil"}}
	}

	var ps []outrank.Problem
	for _, f := range [...]struct{ field, text string }{
		{"metadata.name", nameProblem(class.Name)},
		{"value", valueProblem(class)},
		{"globalDefault", defaultProblem(class)},
		{"preemptionPolicy", policyProblem(class.PreemptionPolicy)},
	} {
		if f.text != "" {
			ps = append(ps, outrank.Problem{Object: object, Field: f.field, Text: f.text})
		}
	}
	return ps
}

// nameProblem says what is wrong with a name, if anything (rule 4.1.3).
func nameProblem(name string) string {
	_, builtIn := builtInValue(name)
	switch {
	case name == "":
		return "missing"
	case !isSubdomain(name):
		return quote(name) + " is not a DNS subdomain"
	case strings.HasPrefix(name, reservedPrefix) && !builtIn:
		return "names that begin with " + reservedPrefix + " are reserved"
	}
	return ""
}

// valueProblem says what is wrong with the value of a class, if anything (rules 4.1.4
// and 4.1.5).
func valueProblem(class *outrank.PriorityClass) string {
	value, builtIn := builtInValue(class.Name)
	switch {
	case builtIn && class.Value != value:
		return fmt.Sprintf("%d is not %d, the value of this built-in class", class.Value, value)
	case !builtIn && class.Value > UserMax:
		return fmt.Sprintf("%d is above %d, the highest there is for classes not built in", class.Value, UserMax)
	}
	return ""
}

// defaultProblem says that a built-in class claims to be the global default (rule 4.1.5).
func defaultProblem(class *outrank.PriorityClass) string {
	if _, builtIn := builtInValue(class.Name); builtIn && class.GlobalDefault {
		return "a built-in class cannot be the global default"
	}
	return ""
}

// policyProblem says that a policy is unknown (rule 4.1.2).
func policyProblem(p outrank.PreemptionPolicy) string {
	switch p {
	case "", outrank.PreemptLowerPriority, outrank.PreemptNever:
		return ""
	}
	return fmt.Sprintf("%s is neither %s nor %s", quote(string(p)), outrank.PreemptLowerPriority, outrank.PreemptNever)
}

// subject names the class in an error.
func subject(class *outrank.PriorityClass, index int) string {
	switch {
	case class != nil && class.Name != "":
		return "priorityclass " + class.Name
	case index == alone:
		return "priorityclass"
	}
	return fmt.Sprintf("priorityclass number %d", index+1)
}

// builtIns returns the classes that always exist, by descending value.
func builtIns() []outrank.PriorityClass {
	return []outrank.PriorityClass{
		{Name: nodeCriticalName, Value: NodeCritical, PreemptionPolicy: outrank.PreemptLowerPriority},
		{Name: clusterCriticalName, Value: ClusterCritical, PreemptionPolicy: outrank.PreemptLowerPriority},
	}
}

// builtInValue returns the value of a built-in class by its name.
func builtInValue(name string) (int32, bool) {
	switch name {
	case clusterCriticalName:
		return ClusterCritical, true
	case nodeCriticalName:
		return NodeCritical, true
	}
	return 0, false
}

// policy returns p, or PreemptLowerPriority for an empty policy.
func policy(p outrank.PreemptionPolicy) outrank.PreemptionPolicy {
	if p == "" {
		return outrank.PreemptLowerPriority
	}
	return p
}

// refuse returns an error that wraps the problems and the sentinel, or nil if
// there are no problems.
func refuse(sentinel error, ps []outrank.Problem) error {
	if len(ps) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", sentinel, &outrank.InputError{Problems: ps})
}
