package mirror

import (
	"errors"

	corev1 "k8s.io/api/core/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/preemption"
)

// putPod adds a pod as an informer delivers it.
func (m *Mirror) putPod(p *corev1.Pod) error {
	key, take := outrank.NewKey(p.Namespace, p.Name), m.take
	one, err := m.convert(p)
	if err == nil && m.lostStart(key, one) {
		take = m.takeAnew
	}
	return m.place(key, one, err, take)
}

// take puts a pod on the node that it names, or among the pending pods.
func (m *Mirror) take(p *outrank.Pod) error {
	_, err := m.snap.PutPod(p)
	return err
}

// takeAnew replaces the known version of a pod, even if the new one lacks something that the known one has. It
// keeps a node or a nomination that has not been written to the API yet.
func (m *Mirror) takeAnew(p *outrank.Pod) error {
	key := p.Key()
	node, nominated := m.snap.NodeOf(key), m.snap.NominationOf(key)
	if err := errors.Join(m.snap.RemovePod(key), m.take(p)); err != nil {
		return err
	}
	switch {
	case p.NodeName != "":
		return nil
	case node != "":
		return ignoreMissing(m.snap.Bind(key, node))
	case nominated != m.snap.NominationOf(key):
		return ignoreMissing(m.snap.Nominate(key, nominated))
	}
	return nil
}

// lostStart reports whether a kubelet has withdrawn a pod's start time. The snapshot would take such a version
// for an older one, but the resource versions say that it is newer.
func (m *Mirror) lostStart(key outrank.Key, now *outrank.Pod) bool {
	was, ok := m.snap.Pod(key)
	return ok && older(m.apiPod(key), now.Value.(*corev1.Pod)) && !now.Finished() && now.NodeName == was.NodeName &&
		!was.StartTime.IsZero() && now.StartTime.IsZero()
}

// place calls take with a pod, unless the pod could not be converted. A refused pod is not in the snapshot.
// Only what is needed to try it again, when the volumes behind its claims change, is kept.
func (m *Mirror) place(key outrank.Key, p *outrank.Pod, err error, take func(*outrank.Pod) error) error {
	m.unuse(key)
	if err == nil {
		if err = take(p); err == nil {
			m.use(key)
			return nil
		}
		if len(p.Volumes) > 0 {
			m.refused[key] = p
			m.storage.use(key, p)
		}
	}
	return errors.Join(err, ignoreMissing(m.snap.RemovePod(key)))
}

// convert converts a pod with the volumes behind its claims.
func (m *Mirror) convert(p *corev1.Pod) (*outrank.Pod, error) {
	one, err := convert.Pod(p)
	if err != nil {
		return nil, err
	}
	one.Value = p
	m.amounts.share(one)
	m.storage.resolve(one)
	return one, nil
}

// use records the claims that the pod with a key uses. unuse forgets them.
func (m *Mirror) use(key outrank.Key) {
	if p, ok := m.snap.Pod(key); ok && len(p.Volumes) > 0 {
		m.storage.use(key, p)
	}
}

func (m *Mirror) unuse(key outrank.Key) {
	if p, ok := m.snap.Pod(key); ok && len(p.Volumes) > 0 {
		m.storage.unuse(key, p)
	}
	if p := m.refused[key]; p != nil {
		m.storage.unuse(key, p)
		delete(m.refused, key)
	}
}

func (m *Mirror) removePod(key outrank.Key) error {
	m.unuse(key)
	return m.snap.RemovePod(key)
}

// renew puts a pod again whose claims have other volumes now. The pod stays where it is. A pod that was refused
// is tried again, and may have finished. An error concerns the pod and not the caller.
func (m *Mirror) renew(key outrank.Key) {
	at, known := m.refused[key], false
	if at == nil {
		at, known = m.snap.Pod(key)
	}
	api, _ := at.Value.(*corev1.Pod)
	one, err := m.convert(api)
	if err == nil {
		one.NodeName, one.NominatedNodeName, one.Phase, one.DeletionTimestamp = at.NodeName, at.NominatedNodeName, at.Phase, at.DeletionTimestamp
		// The pod may have another nomination by now than in its object. A running pod keeps the one in its
		// object, which has no effect.
		if known && m.snap.NodeOf(key) == "" && at.NominatedNodeName != "" {
			one.NominatedNodeName = m.snap.NominationOf(key)
		}
	}
	pod := id{podKind, string(key)}
	_ = m.telling(pod, func() error { return m.note(pod, api, m.place(key, one, err, m.take)) })
}

// apiPod returns the API object of a pod in the snapshot, or nil if there is no such pod.
func (m *Mirror) apiPod(key outrank.Key) *corev1.Pod {
	p, ok := m.snap.Pod(key)
	if !ok {
		return nil
	}
	api, _ := p.Value.(*corev1.Pod)
	return api
}

func ignoreMissing(err error) error {
	if errors.Is(err, preemption.ErrNotFound) {
		return nil
	}
	return err
}
