package small

// Two is the only constant.
const Two = 2

func ends() int { return Two }
