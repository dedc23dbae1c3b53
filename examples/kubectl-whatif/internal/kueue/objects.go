// Package kueue answers before a workload is submitted: would Kueue admit it in its queue as things
// are, who would have to leave for it and by which rule, or why not, and when to ask again? It
// reads a dump of Kueue's objects as plain structs, of v1beta1 and v1beta2 alike; package tenancy
// decides.
package kueue

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/resource"
)

// Annotations and labels of Kueue.
const (
	queueLabel      = "kueue.x-k8s.io/queue-name"
	classLabel      = "kueue.x-k8s.io/priority-class"
	boostAnnotation = "kueue.x-k8s.io/priority-boost"
	rulesAnnotation = "kueue.x-k8s.io/preemption-config-name"
)

// topologyAnnotations ask for a topology.
var topologyAnnotations = []string{
	"kueue.x-k8s.io/podset-required-topology", "kueue.x-k8s.io/podset-preferred-topology", "kueue.x-k8s.io/podset-unconstrained-topology",
	"kueue.x-k8s.io/podset-slice-required-topology", "kueue.x-k8s.io/podset-slice-required-topology-constraints",
}

// Kinds are what kubectl get is asked for.
const Kinds = "clusterqueues,cohorts,localqueues,resourceflavors,workloadpriorityclasses,workloads,preemptionconfigs,priorityclasses,namespaces"

// Cluster has the objects of Kueue in a dump, as they were read.
type Cluster struct {
	queues     []*clusterQueue
	cohorts    []*cohort
	locals     map[outrank.Key]*localQueue
	flavors    map[string]*flavor
	classes    map[string]int32 // of workloads
	podClasses map[string]*podClass
	workloads  []*workload
	rules      map[string]*preemptionConfig
	namespaces map[string]map[string]string // labels by name
}

type metadata struct {
	Namespace   string            `json:"namespace"`
	Name        string            `json:"name"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	Created     time.Time         `json:"creationTimestamp"`
}

func (m *metadata) key() outrank.Key { return outrank.NewKey(m.Namespace, m.Name) }

type resourceGroup struct {
	Covered []resource.Name `json:"coveredResources"`
	Flavors []struct {
		Name      string `json:"name"`
		Resources []struct {
			Name      resource.Name      `json:"name"`
			Nominal   resource.Quantity  `json:"nominalQuota"`
			Borrowing *resource.Quantity `json:"borrowingLimit"`
			Lending   *resource.Quantity `json:"lendingLimit"`
		} `json:"resources"`
	} `json:"flavors"`
}

type fairSharing struct {
	Weight *resource.Quantity `json:"weight"`
}

type condition struct {
	Type   string    `json:"type"`
	Status string    `json:"status"`
	Reason string    `json:"reason"`
	At     time.Time `json:"lastTransitionTime"`
}

type clusterQueue struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Groups     []resourceGroup        `json:"resourceGroups"`
		Cohort     string                 `json:"cohort"`     // v1beta1
		CohortName string                 `json:"cohortName"` // v1beta2
		Strategy   string                 `json:"queueingStrategy"`
		Namespaces *outrank.LabelSelector `json:"namespaceSelector"`
		Stop       string                 `json:"stopPolicy"`
		Fair       *fairSharing           `json:"fairSharing"`
		Preemption *struct {
			Within    string `json:"withinClusterQueue"`
			Reclaim   string `json:"reclaimWithinCohort"`
			Borrowing *struct {
				Policy string `json:"policy"`
				Most   *int32 `json:"maxPriorityThreshold"`
			} `json:"borrowWithinCohort"`
		} `json:"preemption"`
		Checks         []string `json:"admissionChecks"` // v1beta1
		ChecksStrategy *struct {
			Checks []struct {
				Name string `json:"name"`
			} `json:"admissionChecks"`
		} `json:"admissionChecksStrategy"`
		Scope *struct {
			Mode string `json:"admissionMode"`
		} `json:"admissionScope"`
	} `json:"spec"`
	Status struct {
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

func (q *clusterQueue) cohort() string {
	if q.Spec.CohortName != "" {
		return q.Spec.CohortName
	}
	return q.Spec.Cohort
}

type cohort struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Parent     string          `json:"parent"`
		ParentName string          `json:"parentName"`
		Groups     []resourceGroup `json:"resourceGroups"`
		Fair       *fairSharing    `json:"fairSharing"`
	} `json:"spec"`
}

func (c *cohort) parent() string {
	if c.Spec.ParentName != "" {
		return c.Spec.ParentName
	}
	return c.Spec.Parent
}

type localQueue struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		ClusterQueue string `json:"clusterQueue"`
		Stop         string `json:"stopPolicy"`
	} `json:"spec"`
}

type flavor struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Labels      map[string]string    `json:"nodeLabels"`
		Taints      []outrank.Taint      `json:"nodeTaints"`
		Tolerations []outrank.Toleration `json:"tolerations"`
		Topology    string               `json:"topologyName"`
	} `json:"spec"`
}

type podClass struct {
	Metadata metadata `json:"metadata"`
	Value    int32    `json:"value"`
	Default  bool     `json:"globalDefault"`
}

type podSet struct {
	Name     string `json:"name"`
	Count    *int64 `json:"count"`
	MinCount *int64 `json:"minCount"`
	Template struct {
		Metadata map[string]any `json:"metadata"`
		Spec     map[string]any `json:"spec"`
	} `json:"template"`
	Topology *json.RawMessage `json:"topologyRequest"`
}

type workload struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		PodSets   []podSet `json:"podSets"`
		Queue     string   `json:"queueName"`
		Priority  *int32   `json:"priority"`
		ClassName string   `json:"priorityClassName"` // v1beta1
		Class     *struct {
			Kind string `json:"kind"`
			Name string `json:"name"`
		} `json:"priorityClassRef"` // v1beta2
		Active *bool `json:"active"`
	} `json:"spec"`
	Status struct {
		Conditions []condition `json:"conditions"`
		Admission  *struct {
			ClusterQueue string `json:"clusterQueue"`
			PodSets      []struct {
				Name    string                   `json:"name"`
				Flavors map[resource.Name]string `json:"flavors"`
				Usage   resource.List            `json:"resourceUsage"`
				Count   *int64                   `json:"count"`
			} `json:"podSetAssignments"`
		} `json:"admission"`
		Reclaimable []struct {
			Name  string `json:"name"`
			Count int64  `json:"count"`
		} `json:"reclaimablePods"`
	} `json:"status"`
}

// is returns a condition that is true; nil where it is not.
func (w *workload) condition(kind string) *condition {
	for i := range w.Status.Conditions {
		if c := &w.Status.Conditions[i]; c.Type == kind && c.Status == "True" {
			return c
		}
	}
	return nil
}

func (w *workload) class() string {
	if w.Spec.Class != nil {
		return w.Spec.Class.Name
	}
	return w.Spec.ClassName
}

// preemptionConfig has the rules that a ClusterQueue names. Each is read by itself, so that one
// which this program does not know spoils no other.
type preemptionConfig struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Rules []json.RawMessage `json:"rules"`
	} `json:"spec"`
}

// rule is a rule with its trigger, which stands in an object of its own.
type rule struct {
	tenancy.Selection
	Activation struct {
		Trigger string `json:"trigger"`
	} `json:"activationPolicy"`
}

// Read reads a dump. Objects of other kinds are passed over. An error names the object.
func Read(r io.Reader) (*Cluster, error) {
	c := &Cluster{
		locals: map[outrank.Key]*localQueue{}, flavors: map[string]*flavor{}, classes: map[string]int32{}, podClasses: map[string]*podClass{},
		rules: map[string]*preemptionConfig{}, namespaces: map[string]map[string]string{},
	}
	err := input.Each(r, c.read)
	return c, err
}

// Empty reports whether the dump holds no ClusterQueue.
func (c *Cluster) Empty() bool { return len(c.queues) == 0 }

// Workloads returns how many workloads the dump holds, and how many of them hold quota.
func (c *Cluster) Workloads() (all, holding int) {
	for _, w := range c.workloads {
		if w.holds() {
			holding++
		}
	}
	return len(c.workloads), holding
}

// holds reports whether a workload has quota.
func (w *workload) holds() bool {
	return w.Status.Admission != nil && w.condition("QuotaReserved") != nil && w.condition("Finished") == nil
}

// isKueue reports whether an object is Kueue's.
func isKueue(o *input.Object) bool { return strings.HasPrefix(o.APIVersion, "kueue.x-k8s.io/") }

func (c *Cluster) read(o input.Object) error {
	switch {
	case o.Kind == "Namespace":
		var x struct {
			Metadata metadata `json:"metadata"`
		}
		err := decode(o, &x)
		c.namespaces[x.Metadata.Name] = x.Metadata.Labels
		return err
	case o.Kind == "PriorityClass":
		x := &podClass{}
		err := decode(o, x)
		c.podClasses[x.Metadata.Name] = x
		return err
	case !isKueue(&o):
		return nil
	}
	switch o.Kind {
	case "ClusterQueue":
		x := &clusterQueue{}
		c.queues = append(c.queues, x)
		return decode(o, x)
	case "Cohort":
		x := &cohort{}
		c.cohorts = append(c.cohorts, x)
		return decode(o, x)
	case "LocalQueue":
		x := &localQueue{}
		err := decode(o, x)
		c.locals[x.Metadata.key()] = x
		return err
	case "ResourceFlavor":
		x := &flavor{}
		err := decode(o, x)
		c.flavors[x.Metadata.Name] = x
		return err
	case "WorkloadPriorityClass":
		x := &podClass{}
		err := decode(o, x)
		c.classes[x.Metadata.Name] = x.Value
		return err
	case "Workload":
		x := &workload{}
		c.workloads = append(c.workloads, x)
		return decode(o, x)
	case "PreemptionConfig":
		x := &preemptionConfig{}
		err := decode(o, x)
		c.rules[x.Metadata.Name] = x
		return err
	}
	return nil
}

// decode reads an object, and names it where that fails.
func decode(o input.Object, into any) error {
	err := json.Unmarshal(o.Raw, into)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Errorf("%s: %s: %s is none of what may stand there", nameOf(o), wrong.Field, wrong.Value)
	}
	return fmt.Errorf("%s: %w", nameOf(o), err)
}

func nameOf(o input.Object) string {
	name := o.Name
	if o.Namespace != "" {
		name = o.Namespace + "/" + o.Name
	}
	return strings.ToLower(o.Kind) + " " + name
}
