// Package audit judges schedulers by the audit log of an API server: the evicted
// pods, how often, against which disruption budgets, how long pods waited to be
// bound, and the requests for it.
package audit

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Resources that are judged, with the subresource after a slash.
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

// Policy returns the audit policy that a Judge of the same arguments needs: all
// that the user writes, the pods that the user deletes, the budgets, and which
// pods were created in the namespace.
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
		panic(err) // texts and lists of them
	}
	return string(text)
}

// entry is a request of the log that was answered, as far as it is judged.
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

// answered is a pod that was deleted, or the Status of one that was gone at once.
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
