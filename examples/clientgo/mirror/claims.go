package mirror

import (
	"errors"
	"maps"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
)

// storage has the claims, the volumes, the storage classes, and the pods that use claims.
type storage struct {
	claims  map[outrank.Key]*claim
	volumes map[string]*outrank.Volume
	classes map[string]*convert.Class
	// users maps a claim, known or not, to the pods that name it. ofVolume and ofClass map a volume or a class
	// to the claims that name it.
	users             index[outrank.Key]
	ofVolume, ofClass index[string]
}

// claim is a claim in two versions: alone, and with its volume.
type claim struct {
	own     *outrank.VolumeClaim
	binding convert.Binding
	bound   *outrank.VolumeClaim
}

func newStorage() storage {
	return storage{
		claims: map[outrank.Key]*claim{}, volumes: map[string]*outrank.Volume{}, classes: map[string]*convert.Class{},
		users: index[outrank.Key]{}, ofVolume: index[string]{}, ofClass: index[string]{},
	}
}

// index maps an object to the keys of the objects that name it.
type index[K comparable] map[K]map[outrank.Key]struct{}

func (ix index[K]) add(name K, key outrank.Key) {
	set := ix[name]
	if set == nil {
		set = map[outrank.Key]struct{}{}
		ix[name] = set
	}
	set[key] = struct{}{}
}

func (ix index[K]) remove(name K, key outrank.Key) {
	if set := ix[name]; set != nil {
		if delete(set, key); len(set) == 0 {
			delete(ix, name)
		}
	}
}

// of returns the keys of the objects that name an object, sorted.
func (ix index[K]) of(name K) []outrank.Key { return slices.Sorted(maps.Keys(ix[name])) }

// resolve fills in the volumes of the claims of a pod. It changes the pod.
func (s *storage) resolve(p *outrank.Pod) {
	for i := range p.Volumes {
		v := &p.Volumes[i]
		if v.Claim == "" {
			continue
		}
		if c := s.claims[outrank.NewKey(p.Namespace, v.Claim)]; c != nil {
			name, ephemeral := v.Claim, v.Ephemeral
			*v = c.bound.Volume
			v.Claim, v.Ephemeral = name, ephemeral
		}
	}
}

func (s *storage) use(key outrank.Key, p *outrank.Pod) {
	for i := range p.Volumes {
		if name := p.Volumes[i].Claim; name != "" {
			s.users.add(outrank.NewKey(p.Namespace, name), key)
		}
	}
}

func (s *storage) unuse(key outrank.Key, p *outrank.Pod) {
	for i := range p.Volumes {
		if name := p.Volumes[i].Claim; name != "" {
			s.users.remove(outrank.NewKey(p.Namespace, name), key)
		}
	}
}

// bind looks up the volume of a claim again, and reports whether the claim has changed.
func (s *storage) bind(c *claim) bool {
	bound := convert.Bind(c.own, c.binding, s.volumes[c.binding.Volume], s.classes[c.binding.Class])
	same := c.bound != nil && reflect.DeepEqual(c.bound, bound)
	c.bound = bound
	return !same
}

// all lists the claims with their volumes, by key.
func (s *storage) all() []*outrank.VolumeClaim {
	var out []*outrank.VolumeClaim
	for _, key := range slices.Sorted(maps.Keys(s.claims)) {
		out = append(out, s.claims[key].bound)
	}
	return out
}

func (m *Mirror) putClaim(at id, o *corev1.PersistentVolumeClaim) error {
	own, err := convert.Claim(o)
	if err != nil {
		return errors.Join(err, m.drop(at))
	}
	key, s := own.Key(), &m.storage
	c := &claim{own: own, binding: convert.BindingOf(o)}
	if before := s.claims[key]; before != nil {
		s.forget(key, before)
		c.bound = before.bound
	}
	s.claims[key] = c
	s.ofVolume.add(c.binding.Volume, key)
	s.ofClass.add(c.binding.Class, key)
	if s.bind(c) {
		m.renewUsers(key)
	}
	return nil
}

func (s *storage) forget(key outrank.Key, c *claim) {
	s.ofVolume.remove(c.binding.Volume, key)
	s.ofClass.remove(c.binding.Class, key)
	delete(s.claims, key)
}

func (m *Mirror) removeClaim(key outrank.Key) error {
	c := m.storage.claims[key]
	if c == nil {
		return nil
	}
	m.storage.forget(key, c)
	m.renewUsers(key)
	return nil
}

// putVolume adds a volume, or removes it if v is nil, and binds the claims that name it again.
func (m *Mirror) putVolume(name string, v *outrank.Volume) error {
	set(m.storage.volumes, name, v)
	m.rebind(m.storage.ofVolume.of(name))
	return nil
}

// putClass adds a class, or removes it if c is nil, and binds the claims that name it again.
func (m *Mirror) putClass(name string, c *convert.Class) error {
	set(m.storage.classes, name, c)
	m.rebind(m.storage.ofClass.of(name))
	return nil
}

func set[T any](of map[string]*T, name string, v *T) {
	if v == nil {
		delete(of, name)
		return
	}
	of[name] = v
}

func (m *Mirror) rebind(claims []outrank.Key) {
	for _, key := range claims {
		if m.storage.bind(m.storage.claims[key]) {
			m.renewUsers(key)
		}
	}
}

// renewUsers renews the pods that use a claim.
func (m *Mirror) renewUsers(claim outrank.Key) {
	for _, key := range m.storage.users.of(claim) {
		m.renew(key)
	}
}
