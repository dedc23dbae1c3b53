package page

// pictures shows the nodes of the cluster, as rows or as cells, with the legend.
type pictures struct {
	Below, Above scale
	Views        []view
	// Shades are the legends of the cells: one for each view, and a last one for the scarcest resource of each
	// node.
	Shades [][]shade
	Rows   []row
	Panels []panel
	Sorted string
	// Lettered says that some cells of the field link to nodes below.
	Lettered bool
	// Plain says that priorities have no colours. Origins are the nodes that have a colour.
	Plain   bool
	Origins []origin
	// Leave to New say which kinds of parts the legend has to explain.
	Leave, Come, Kept, Lack, Over, New bool
}

// explain finds out which kinds of parts occur, in the pictures and in the scenes beside them.
func (c *pictures) explain(scenes []scene) {
	look := func(b *bar) {
		if b == nil {
			return
		}
		c.Over = c.Over || b.Over
		c.Lack = c.Lack || b.Lack != ""
		for i := range b.Segments {
			s := &b.Segments[i]
			c.Leave = c.Leave || s.Hatched()
			c.Come = c.Come || s.Preemptor != ""
			c.Kept = c.Kept || s.Class == "kept"
			c.New = c.New || s.Class == "comes"
		}
	}

	// The scenes and the rows have bars. Cells have none.
	for i := range scenes {
		for j := range scenes[i].Meters {
			for _, b := range scenes[i].Meters[j].Bars {
				look(b)
			}
		}
	}
	for i := range c.Rows {
		for j := range c.Rows[i].Cells {
			look(c.Rows[i].Cells[j].Before)
			look(c.Rows[i].Cells[j].After)
		}
	}
}
