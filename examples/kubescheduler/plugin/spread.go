package plugin

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/outrank-go/outrank"
	schedulerconfig "github.com/outrank-go/outrank/preemption/scheduler/config"
)

// spreadSelector joins the selectors of a pod's services and of the controller that made it. The default
// constraints of a profile count the pods that it selects.
func (p *Plugin) spreadSelector(pod *outrank.Pod) *outrank.LabelSelector {
	factory, namespace := p.handle.SharedInformerFactory(), pod.NamespaceName()
	var list []schedulerconfig.Workload
	add := func(kind, name string, selector *outrank.LabelSelector) {
		list = append(list, schedulerconfig.Workload{Kind: kind, Namespace: namespace, Name: name, Selector: selector})
	}
	plain := func(kind string, object metav1.Object, selector map[string]string) {
		add(kind, object.GetName(), &outrank.LabelSelector{MatchLabels: selector})
	}

	// Listers read a cache, and none of these calls can fail.
	services, _ := factory.Core().V1().Services().Lister().Services(namespace).List(labels.Everything())
	for _, s := range services {
		plain("Service", s, s.Spec.Selector)
	}
	controllers, _ := factory.Core().V1().ReplicationControllers().Lister().ReplicationControllers(namespace).List(labels.Everything())
	for _, c := range controllers {
		plain("ReplicationController", c, c.Spec.Selector)
	}

	sets, _ := factory.Apps().V1().ReplicaSets().Lister().ReplicaSets(namespace).List(labels.Everything())
	for _, s := range sets {
		add("ReplicaSet", s.Name, labelSelector(s.Spec.Selector))
	}
	stateful, _ := factory.Apps().V1().StatefulSets().Lister().StatefulSets(namespace).List(labels.Everything())
	for _, s := range stateful {
		add("StatefulSet", s.Name, labelSelector(s.Spec.Selector))
	}
	return schedulerconfig.SpreadSelector(list)(pod)
}

// startSpread asks for the listers that spreadSelector reads if the profile has default constraints. The
// scheduler then starts their informers.
func (p *Plugin) startSpread() {
	if len(p.baseConfig().Profile.DefaultConstraints) == 0 {
		return
	}
	factory := p.handle.SharedInformerFactory()
	factory.Core().V1().Services().Lister()
	factory.Core().V1().ReplicationControllers().Lister()
	factory.Apps().V1().ReplicaSets().Lister()
	factory.Apps().V1().StatefulSets().Lister()
}

func labelSelector(of *metav1.LabelSelector) *outrank.LabelSelector {
	if of == nil {
		return nil
	}
	out := &outrank.LabelSelector{MatchLabels: of.MatchLabels}
	for _, e := range of.MatchExpressions {
		out.MatchExpressions = append(out.MatchExpressions, outrank.Requirement{Key: e.Key, Operator: outrank.Operator(e.Operator), Values: e.Values})
	}
	return out
}
