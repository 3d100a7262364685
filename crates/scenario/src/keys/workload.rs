use super::key::key;
use super::{Key, Type};

const COLLECTIVES: &str = "all-reduce reduce-scatter all-gather broadcast reduce all-to-all send-recv";
const CHANNELED: &str = "all-reduce reduce-scatter all-gather broadcast reduce send-recv";
const SLICED: &str = "all-reduce reduce-scatter all-gather broadcast reduce";
const STEPPED: &str = "all-reduce reduce-scatter all-gather broadcast reduce all-to-all send-recv barrier moe";
const MODELS: &str = "moe training-step";

pub(super) const KEYS: &[Key] = &[
    key("workload", Type::Map, "What runs.").required().short("kind"),
    key("workload", Type::List, "A list of jobs.").later(),
    key("workload.kind", Type::Word, "A collective, or flows.")
        .required()
        .words("all-reduce reduce-scatter all-gather broadcast reduce all-to-all send-recv barrier moe flows !training-step !trace"),
    key("workload.name", Type::Name, "Name of the job.").default("job"),
    key("workload.hosts", Type::Text, "Hosts of the job, such as h0-h63.").inherits("all").later(),
    key("workload.placement", Type::Word, "Order of the hosts among the ranks: as they are numbered, or shuffled. The ranks of a host stay together.").default("contiguous").words("contiguous random"),
    key("workload.start", Type::Time, "When it begins.").default("0s"),
    key("workload.start_jitter", Type::Time, "Each flow, or rank, begins later by a time drawn evenly below this.").default("0s"),
    key("workload.class", Type::Count, "Class of the data: a priority of PFC, or a virtual lane (modulo `credit.vls`).").inherits("3 with RoCE, 0 with InfiniBand").most("14"),
    key("workload.algorithm", Type::Word, "Algorithm; `auto` takes the ring or the double binary tree, whichever is faster by its closed form.")
        .of("all-reduce")
        .default("auto")
        .words("auto ring tree double-binary-tree halving-doubling !hierarchical !nvls !nvls-tree !sharp"),
    key("workload.algorithm", Type::Word, "Algorithm; `auto` takes the ring.")
        .of("reduce-scatter all-gather broadcast reduce")
        .default("auto")
        .words("auto ring !tree !nvls !sharp"),
    key("workload.algorithm", Type::Word, "Algorithm: one exchange after another, or all at once; `auto` takes the pairwise exchange where ranks stay in step (one GPU a host, no jitter), else all at once.")
        .of("all-to-all")
        .default("auto")
        .words("auto pairwise direct"),
    key("workload.size", Type::Bytes, "Size, as nccl-tests counts it.").of(COLLECTIVES).required().least("1B"),
    key("workload.channels", Type::Count, "Parts of the data with connections of their own: rings, chains, trees (of each of two trees), exchanges.").of(CHANNELED).inherits("one a NIC of a host; one in halving-doubling and send-recv").least("1").most("1024"),
    key("workload.slice", Type::Bytes, "Bytes of one message. On a ring two slices make a chunk; on chains and trees eight may be under way, as in NCCL.")
        .of(SLICED)
        .inherits("ring: one message a step; chain and tree: 512KiB")
        .least("1B"),
    key("workload.root", Type::Count, "Rank that has or gets the data.").of("broadcast reduce").default("0"),
    key("workload.compute", Type::Time, "Compute phase before each step.").of(STEPPED).default("0s"),
    key("workload.flows", Type::List, "The flows, one by one.").of("flows"),
    key("workload.flows[]", Type::Map, "One flow."),
    key("workload.flows[].name", Type::Name, "Its name.").inherits("f and its index from 0"),
    key("workload.flows[].src", Type::Name, "Host that sends; `h3.nic2` names a port.").required(),
    key("workload.flows[].dst", Type::Name, "Host that receives.").required(),
    key("workload.flows[].size", Type::Bytes, "Payload; `unlimited` sends until `stop` or `run.until`.").required().words("unlimited").least("1B"),
    key("workload.flows[].start", Type::Time, "When it begins.").default("0s"),
    key("workload.flows[].stop", Type::Time, "When it stops sending.").inherits("when all is sent").least("1ps"),
    key("workload.flows[].rate", Type::Rate, "Wire rate offered.").inherits("line rate"),
    key("workload.flows[].arrival", Type::Word, "Spacing of packets at `rate`.").default("constant").words("constant poisson"),
    key("workload.flows[].class", Type::Count, "Class of its data.").inherits("`workload.class`").most("14"),
    key("workload.flows[].qps", Type::Count, "Connections it is spread over evenly; with more than one they are the flows `NAME#0`, `NAME#1`, ...").default("1").least("1").most("4096"),
    key("workload.flows[].ttl", Type::Count, "Links between switches that a packet may cross.").default("255").most("255"),
    key("workload.flows[].path", Type::List, "Every node from source to destination.").inherits("`fabric.routing`"),
    key("workload.flows[].path[]", Type::Name, "A node."),
    key("workload.pattern", Type::Word, "Flows made by a rule, instead of `flows`.")
        .of("flows")
        .words("permutation incast all-to-all shift !uniform !poisson")
        .instead_of("flows"),
    key("workload.size", Type::Bytes, "Payload of each flow of a pattern.").of("flows").words("unlimited").least("1B"),
    key("workload.rate", Type::Rate, "Wire rate of each flow of a pattern.").of("flows").inherits("line rate"),
    key("workload.arrival", Type::Word, "Spacing of packets at `rate`.").of("flows").default("constant").words("constant poisson"),
    key("workload.stop", Type::Time, "When the flows of a pattern stop sending.").of("flows").least("1ps"),
    key("workload.shift", Type::Count, "Pattern shift: to the host this many further on.").of("flows").inherits("half of the hosts").least("1"),
    key("workload.fan_in", Type::Count, "Pattern incast: senders.").of("flows").inherits("all other hosts").least("1"),
    key("workload.dst", Type::Name, "Pattern incast: the receiver.").of("flows").inherits("the first host"),
    key("workload.qps", Type::Count, "Connections that each flow of a pattern is spread over.").of("flows").default("1").least("1").most("4096"),
    key("workload.load", Type::Fraction, "Pattern poisson: load of a host.").of("flows").later(),
    key("workload.sizes", Type::Text, "Pattern poisson: distribution of sizes.").of("flows").later(),
    key("workload.file", Type::Text, "File of flows.").of("flows").later(),
    key("workload.format", Type::Word, "Format of the file.").of("flows").words("!hpcc"),
    key("workload.tokens", Type::Count, "Tokens of a rank.").of("moe").required().least("1").most("16M"),
    key("workload.top_k", Type::Count, "Experts of a token.").of("moe").required().least("1").most("256"),
    key("workload.experts", Type::Count, "Experts in all, spread over the ranks in equal runs.").of("moe").required().least("1").most("1M"),
    key("workload.hidden", Type::Count, "Elements of a token.").of("moe").required().least("1").most("1M"),
    key("workload.skew", Type::Map, "Popularity of experts: exactly even, drawn at random with equal chances, or unequal.")
        .of("moe")
        .default("uniform")
        .words("balanced uniform"),
    key("workload.skew.zipf", Type::Fraction, "The i-th most popular expert is chosen with weight 1 / i^zipf.").required().most("10"),
    key("workload.dispatch", Type::Word, "Number format of tokens on their way to the experts; fp8 has a scale of 4 bytes for 128 elements.")
        .of("moe")
        .default("fp8")
        .words("fp8 bf16 fp16 fp32"),
    key("workload.combine", Type::Word, "Number format of results on their way back.").of("moe").default("bf16").words("fp8 bf16 fp16 fp32"),
    key("workload.exchange", Type::Word, "Messages to all ranks at once, or to one after another.")
        .of("moe")
        .default("simultaneous")
        .words("simultaneous staggered"),
    key("workload.once_per_rank", Type::Bool, "Whether a token goes only once to a rank that has several of its experts.").of("moe").default("false"),
    key("workload.expert_compute", Type::Time, "Time of the experts between dispatch and combine.").of("moe").default("0s"),
    key("workload.model", Type::Map, "The model.").of(MODELS),
    key("workload.model.parameters", Type::Count, "Parameters."),
    key("workload.model.layers", Type::Count, "Layers."),
    key("workload.model.hidden", Type::Count, "Hidden size."),
    key("workload.model.sequence", Type::Count, "Sequence length."),
    key("workload.model.micro_batch", Type::Count, "Sequences of a micro-batch."),
    key("workload.model.precision", Type::Word, "Number format.").words("bf16 fp16 fp8 fp32"),
    key("workload.parallel", Type::Map, "How the model is spread.").of(MODELS),
    key("workload.parallel.tp", Type::Count, "Tensor parallelism."),
    key("workload.parallel.pp", Type::Count, "Pipeline parallelism."),
    key("workload.parallel.dp", Type::Count, "Data parallelism."),
    key("workload.parallel.ep", Type::Count, "Expert parallelism."),
    key("workload.parallel.cp", Type::Count, "Context parallelism."),
    key("workload.parallel.zero", Type::Count, "ZeRO stage."),
    key("workload.format", Type::Word, "Format of the trace.").of("trace").words("!goal !chakra"),
    key("workload.path", Type::Text, "The trace.").of("trace"),
];
