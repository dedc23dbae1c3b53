package plugin

import (
	"context"
	"maps"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
	policylisters "k8s.io/client-go/listers/policy/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/convert"
	"github.com/outrank-go/outrank/preemption"
)

func (p *Plugin) convertPreemptor(pod *v1.Pod) (*outrank.Pod, error) { return convert.Pod(pod) }

type onNode struct {
	generation int64
	node       *v1.Node
	pods       map[outrank.Key]*v1.Pod
}

type state struct {
	handle     fwk.Handle
	release    outrank.Release
	namespaces corelisters.NamespaceLister
	pdbs       policylisters.PodDisruptionBudgetLister
	snap       *preemption.Snapshot
	nodes      map[string]*onNode
	budgets    map[types.UID]string
	nominated  map[outrank.Key]*v1.Pod
}

func newState(_ context.Context, handle fwk.Handle, release outrank.Release) (*state, error) {
	f := handle.SharedInformerFactory()
	return &state{handle: handle, release: release, namespaces: f.Core().V1().Namespaces().Lister(), pdbs: f.Policy().V1().PodDisruptionBudgets().Lister()}, nil
}

func (s *state) follow() (*preemption.Snapshot, error) {
	if err := s.sync(); err != nil {
		s.snap = nil
		return nil, err
	}
	return s.snap, nil
}

func (s *state) begin() error {
	all, err := s.namespaces.List(labels.Everything())
	if err != nil {
		return err
	}
	c := &outrank.Cluster{Release: s.release}
	for _, n := range all {
		ns, err := convert.Namespace(n)
		if err != nil {
			return err
		}
		c.Namespaces = append(c.Namespaces, ns)
	}
	s.nodes, s.budgets, s.nominated = map[string]*onNode{}, map[types.UID]string{}, map[outrank.Key]*v1.Pod{}
	s.snap, err = preemption.NewSnapshot(c)
	return err
}

func (s *state) sync() error {
	infos, err := s.handle.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return err
	}
	if s.snap == nil {
		if err := s.begin(); err != nil {
			return err
		}
	}
	type change struct {
		at   *onNode
		info fwk.NodeInfo
	}
	var changes []change
	seen := map[string]bool{}
	for _, info := range infos {
		name := info.Node().Name
		seen[name] = true
		at := s.nodes[name]
		if at != nil && at.generation == info.GetGeneration() {
			continue
		}
		if at == nil || at.node != info.Node() {
			n, err := convert.Node(info.Node())
			if err != nil {
				return err
			}
			if err := s.snap.PutNode(n); err != nil {
				return err
			}
			if at == nil {
				at = &onNode{pods: map[outrank.Key]*v1.Pod{}}
				s.nodes[name] = at
			}
			at.node = info.Node()
		}
		here := map[outrank.Key]*v1.Pod{}
		for _, pi := range info.GetPods() {
			here[keyOf(pi.GetPod())] = pi.GetPod()
		}
		for k, had := range at.pods {
			if here[k] != had {
				if err := s.snap.RemovePod(k); err != nil {
					return err
				}
				delete(at.pods, k)
			}
		}
		changes = append(changes, change{at, info})
	}
	for name, at := range s.nodes {
		if !seen[name] {
			for k := range at.pods {
				if err := s.snap.RemovePod(k); err != nil {
					return err
				}
			}
			if err := s.snap.RemoveNode(name); err != nil {
				return err
			}
			delete(s.nodes, name)
		}
	}
	where, pending := map[outrank.Key]string{}, map[outrank.Key]*v1.Pod{}
	for _, info := range infos {
		for _, pi := range s.handle.NominatedPodsForNode(info.Node().Name) {
			k := keyOf(pi.GetPod())
			where[k], pending[k] = info.Node().Name, pi.GetPod()
		}
	}
	for k, had := range s.nominated {
		if pending[k] != had {
			if err := s.snap.RemovePod(k); err != nil {
				return err
			}
			delete(s.nominated, k)
		}
	}
	for _, c := range changes {
		for _, pi := range c.info.GetPods() {
			k := keyOf(pi.GetPod())
			if c.at.pods[k] != nil {
				continue
			}
			o, err := convert.Pod(pi.GetPod())
			if err != nil {
				return err
			}
			o.NodeName = c.info.Node().Name
			if err := s.snap.AddPod(o); err != nil {
				return err
			}
			c.at.pods[k] = pi.GetPod()
		}
		c.at.generation = c.info.GetGeneration()
	}
	for k, node := range where {
		if s.nominated[k] == nil {
			o, err := convert.Pod(pending[k])
			if err != nil {
				return err
			}
			o.NominatedNode = node
			if err := s.snap.AddPod(o); err != nil {
				return err
			}
			s.nominated[k] = pending[k]
		} else if s.snap.NominationOf(k) != node {
			if err := s.snap.Nominate(k, node); err != nil {
				return err
			}
		}
	}
	list, err := s.pdbs.List(labels.Everything())
	if err != nil {
		return err
	}
	versions := map[types.UID]string{}
	for _, b := range list {
		versions[b.UID] = b.ResourceVersion
	}
	if maps.Equal(versions, s.budgets) {
		return nil
	}
	var out []*outrank.PodDisruptionBudget
	for _, b := range list {
		o, err := convert.Budget(b)
		if err != nil {
			return err
		}
		out = append(out, o)
	}
	s.budgets = versions
	return s.snap.SetBudgets(out)
}
