/// The place of one node in a binary tree over `n` nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreeNode {
    /// The node above, `None` at the root.
    pub parent: Option<u32>,
    /// The nodes below.
    pub children: [Option<u32>; 2],
}

impl TreeNode {
    /// Node `r` of the first of NCCL's two trees: node 0 on top, odd nodes are leaves, and a node's distance to its
    /// children is half its lowest set bit, less where that is past the end.
    pub fn first(n: u32, r: u32) -> TreeNode {
        if r == 0 {
            let child = (n > 1).then(|| 1 << (n - 1).ilog2());
            return TreeNode { parent: None, children: [child, None] };
        }
        let bit = r & r.wrapping_neg();
        let above = (r ^ bit) | (bit << 1);
        let parent = if above < n { above } else { r ^ bit };
        let right = std::iter::successors(Some(bit / 2), |b| Some(b / 2)).take_while(|&b| b > 0);
        let right = right.map(|b| r + b).find(|&child| child < n);
        TreeNode { parent: Some(parent), children: [(bit > 1).then(|| r - bit / 2), right] }
    }

    /// Node `r` of the second tree: the first one mirrored when `n` is even, so that no node is inside both, and
    /// shifted by one when it is odd.
    pub fn second(n: u32, r: u32) -> TreeNode {
        if n.is_multiple_of(2) {
            TreeNode::first(n, n - 1 - r).map(|node| n - 1 - node)
        } else {
            TreeNode::first(n, (r + n - 1) % n).map(|node| (node + 1) % n)
        }
    }

    /// How many links lead from the root to the farthest node of either tree.
    pub fn depth(n: u32) -> u32 {
        let above = |r: &u32| TreeNode::first(n, *r).parent;
        (0..n).map(|r| std::iter::successors(Some(r), above).count() as u32 - 1).max().unwrap_or(0)
    }

    fn map(self, renumber: impl Fn(u32) -> u32) -> TreeNode {
        TreeNode { parent: self.parent.map(&renumber), children: self.children.map(|child| child.map(&renumber)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Tree = fn(u32, u32) -> TreeNode;

    /// "parent: child child; ..." for all nodes that have children.
    fn text(n: u32, tree: Tree) -> String {
        let line = |r: u32| {
            let children: Vec<String> = tree(n, r).children.iter().flatten().map(u32::to_string).collect();
            (!children.is_empty()).then(|| format!("{r}->{}", children.join(",")))
        };
        (0..n).filter_map(line).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn trees_are_those_of_nccl() {
        assert_eq!(text(4, TreeNode::first), "0->2 2->1,3");
        assert_eq!(text(4, TreeNode::second), "1->2,0 3->1");
        assert_eq!(text(8, TreeNode::first), "0->4 2->1,3 4->2,6 6->5,7");
        assert_eq!(text(8, TreeNode::second), "1->2,0 3->5,1 5->6,4 7->3");
        assert_eq!(text(5, TreeNode::first), "0->4 2->1,3 4->2");
        assert_eq!(text(5, TreeNode::second), "0->3 1->0 3->2,4");
        assert_eq!((text(1, TreeNode::first), text(2, TreeNode::second)), (String::new(), "1->0".into()));
    }

    #[test]
    fn every_tree_has_one_root_and_parents_and_children_agree() {
        for n in 1..300 {
            for (tree, root) in
                [(TreeNode::first as Tree, 0), (TreeNode::second, if n % 2 == 0 { n - 1 } else { 1 % n })]
            {
                for r in 0..n {
                    let node = tree(n, r);
                    assert_eq!(node.parent.is_none(), r == root, "node {r} of {n}");
                    assert!(node.parent.is_none_or(|p| tree(n, p).children.contains(&Some(r))));
                    assert!(node.children.iter().flatten().all(|&c| tree(n, c).parent == Some(r)));
                    assert!(std::iter::successors(Some(r), |&r| tree(n, r).parent).take(40).any(|top| top == root));
                }
            }
        }
    }

    #[test]
    fn no_node_is_inside_both_trees_except_node_0_of_an_odd_number() {
        for n in 2..300u32 {
            let inside = |node: TreeNode| node.children.iter().any(Option::is_some);
            let both: Vec<u32> =
                (0..n).filter(|&r| inside(TreeNode::first(n, r)) && inside(TreeNode::second(n, r))).collect();
            assert_eq!(both, if n % 2 == 0 { vec![] } else { vec![0] }, "{n} nodes");
        }
    }

    #[test]
    fn depth_of_a_power_of_two_is_its_logarithm() {
        assert_eq!([1, 2, 4, 16, 128].map(TreeNode::depth), [0, 1, 2, 4, 7]);
    }
}
