package manifest

import "fmt"

// mostHeld is the largest amount of memory for elements whose kind is not known yet, in bytes.
const mostHeld = 64 << 20

// held keeps elements of a list that have no kind while the kind of the list is not known. If keys are sorted,
// the list names its kind after its items.
type held struct {
	text   []byte
	places []place
}

// place is the index of an element in the list, and the length of its text. The integers are small because
// there may be many places.
type place struct{ index, size uint32 }

// add keeps an element. It returns an error if too much would be kept.
func (h *held) add(index int, raw []byte) error {
	const each = 8 // bytes of a place
	if len(h.text)+len(raw)+each*len(h.places) > mostHeld {
		return errLateKind
	}
	h.text = append(h.text, raw...)
	h.places = append(h.places, place{uint32(index), uint32(len(raw))})
	return nil
}

// give calls f for the elements, now that their kind is known, and forgets them. where is the prefix of their
// places.
func (h *held) give(where, kind string, f func(Item) error) error {
	from := 0
	for _, p := range h.places {
		to := from + int(p.size)
		if err := f(Item{Kind: kind, Where: where + elementAt(int(p.index)), Raw: h.text[from:to:to]}); err != nil {
			return err
		}
		from = to
	}
	*h = held{}
	return nil
}

// elementAt returns how messages name the place of an element in its list.
func elementAt(i int) string { return fmt.Sprintf("items[%d]", i) }

// errLateKind is the error about a list whose elements take too much memory before its kind is known.
var errLateKind = &refusal{text: fmt.Sprintf("the elements of this list have no kind, and the list itself says it only behind the first %d MB of them; "+
	"put kind first, as jq '{kind} + .' does", mostHeld>>20)}
