// Package audit answers from the audit log of an API server what schedulers did: which pods they evicted, how
// often, against which disruption budgets, how long pods waited to be bound, and how many requests that took.
package audit

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The resources that are judged. A subresource follows a slash.
const (
	pods          = "pods"
	bindings      = "pods/binding"
	podStatus     = "pods/status"
	budgets       = "poddisruptionbudgets"
	budgetsStatus = "poddisruptionbudgets/status"
	events        = "events"
	leases        = "leases"
)

// object is a JSON object.
type object = map[string]any

// Policy returns the audit policy that a Judge with the same arguments needs. It logs all writes of the user,
// the pods that the user deletes, the budgets, and the pods that are created in the namespace.
func Policy(user, namespace string) string {
	in := func(group string, resources ...string) []object {
		return []object{{"group": group, "resources": resources}}
	}
	text, err := json.Marshal(object{
		"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitManagedFields": true,
		"omitStages": []string{"RequestReceived", "ResponseStarted"},
		"rules": []object{
			{"level": "RequestResponse", "users": []string{user}, "verbs": []string{"delete"}, "resources": in("", pods)},
			{"level": "Metadata", "users": []string{user}, "verbs": []string{"create", "update", "patch", "delete", "deletecollection"}},
			{"level": "Request", "verbs": []string{"create", "update"}, "resources": in("policy", budgets, budgetsStatus)},
			{"level": "Metadata", "verbs": []string{"delete"}, "resources": in("policy", budgets)},
			{"level": "Metadata", "verbs": []string{"create"}, "resources": in("", pods), "namespaces": []string{namespace}},
			{"level": "None"},
		},
	})
	if err != nil {
		panic(err) // strings and lists of strings always have a JSON form
	}
	return string(text)
}

// entry has the parts of a logged request that are needed.
type entry struct {
	Verb, UserAgent string
	User            struct{ Username string }

	ObjectRef      struct{ Resource, Subresource, Namespace, Name string }
	ResponseStatus struct{ Code int }
	RequestObject  budget
	ResponseObject answered
	StageTimestamp metav1.MicroTime
}

// budget is a PodDisruptionBudget that was written.
type budget struct {
	Spec   struct{ Selector *metav1.LabelSelector }
	Status struct{ DisruptionsAllowed int32 }
}

// answered is the deleted pod in a response, or the Status if the pod was gone at once.
type answered struct {
	Metadata struct {
		UID    string
		Labels map[string]string
	}
	Details struct{ UID string }
}

func (e *entry) resource() string {
	if e.ObjectRef.Subresource == "" {
		return e.ObjectRef.Resource
	}
	return e.ObjectRef.Resource + "/" + e.ObjectRef.Subresource
}

func (e *entry) key() string { return e.ObjectRef.Namespace + "/" + e.ObjectRef.Name }

func (e *entry) succeeded() bool { return e.ResponseStatus.Code/100 == 2 }
