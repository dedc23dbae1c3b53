package devices

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/dynamic-resource-allocation/structured"
)

// counter names a counter that devices of a pool draw on.
type counter struct {
	pool      poolID
	set, name string
}

// amounts are amounts of counters.
type amounts map[counter]resource.Quantity

// draw takes what a device draws from what is left. What is left may fall below zero: drivers publish devices anew
// while claims hold the old ones.
func (left amounts) draw(by amounts) {
	for at, amount := range by {
		rest := left[at].DeepCopy()
		rest.Sub(amount)
		left[at] = rest
	}
}

// drawsOn returns what each device draws on the counters of its pool. Devices that draw on none are not in it, nor
// are those of older generations of a pool.
func (x *index) drawsOn(v *view) map[structured.DeviceID]amounts {
	all := map[structured.DeviceID]amounts{}
	for _, s := range v.slices {
		if !x.newest(s) {
			continue
		}
		pool := poolID{s.Spec.Driver, s.Spec.Pool.Name}
		for i := range s.Spec.Devices {
			d := &s.Spec.Devices[i]
			if len(d.ConsumesCounters) == 0 {
				continue
			}

			by := amounts{}
			for _, draws := range d.ConsumesCounters {
				for name, c := range draws.Counters {
					at := counter{pool, draws.CounterSet, name}
					sum := by[at].DeepCopy()
					sum.Add(c.Value)
					by[at] = sum
				}
			}
			all[structured.MakeDeviceID(pool.driver, pool.pool, d.Name)] = by
		}
	}
	return all
}

// countersLeft returns what is left of each counter beside the devices that are held. A device draws once, however
// many claims share it.
func (x *index) countersLeft(v *view, draws map[structured.DeviceID]amounts, held []hold) amounts {
	left := amounts{}
	for _, s := range v.slices {
		if !x.newest(s) {
			continue
		}
		for _, set := range s.Spec.SharedCounters {
			for name, c := range set.Counters {
				left[counter{poolID{s.Spec.Driver, s.Spec.Pool.Name}, set.Name, name}] = c.Value
			}
		}
	}

	drawn := map[structured.DeviceID]bool{}
	for _, h := range held {
		if !drawn[h.device] {
			drawn[h.device] = true
			left.draw(draws[h.device])
		}
	}
	return left
}
